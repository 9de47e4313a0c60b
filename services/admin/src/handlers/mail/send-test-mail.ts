import { invalidFields } from '@panel/kit/errors';
import type { MailServiceService } from '@panel/protos/admin';
import { type Handler } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { mailAddress } from '../../domain/text.js';
import { sendTestMail as send } from '../../usecases/mail/send-test-mail.js';

/** Send a mail at once and report the result. */
export function sendTestMail(context: AdminContext): Handler<MailServiceService['sendTestMail']> {
  return async (request, { actor, signal }) => {
    const to = mailAddress.safeParse(request.to);
    if (!to.success) throw invalidFields({ to: ['must be an e-mail address'] });
    return { messageId: await send(context, actor, to.data, signal) };
  };
}
