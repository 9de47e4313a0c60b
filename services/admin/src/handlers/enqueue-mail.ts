import { type Handler, requireService } from '@panel/rpc';
import type { MailServiceService } from '@panel/protos/admin';
import type { AdminContext } from '../context.js';
import { checkMail } from '../domain/mail-content.js';
import { mailPurpose } from '../mail/worker.js';

/** Take a mail over; the worker sends it. */
export function enqueueMail({ outbox, box, now }: AdminContext): Handler<MailServiceService['enqueueMail']> {
  return async (request, { actor }) => {
    requireService(actor);
    const { eventId, to, content } = checkMail(request);
    const sealed = box.seal(JSON.stringify(content), mailPurpose(eventId));
    await outbox.add({ id: eventId, to, content: sealed, now: now() });
    return {};
  };
}
