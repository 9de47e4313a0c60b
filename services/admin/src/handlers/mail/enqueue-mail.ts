import type { MailServiceService } from '@panel/protos/admin';
import { type Handler } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { enqueueMail as enqueue } from '../../usecases/mail/enqueue-mail.js';
import { parseMail } from './parse-mail.js';

/** Accept a mail for sending. */
export function enqueueMail(context: AdminContext): Handler<MailServiceService['enqueueMail']> {
  return async (request) => {
    await enqueue(context, parseMail(request));
    return {};
  };
}
