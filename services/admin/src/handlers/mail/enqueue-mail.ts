import type { MailServiceService } from '@panel/protos/admin';
import type { Handler } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { enqueueMail } from '../../usecases/mail/enqueue-mail.js';
import { readMail } from './read-mail.js';

export function handleEnqueueMail(context: AdminContext): Handler<MailServiceService['enqueueMail']> {
  return async (request) => {
    await enqueueMail(context, readMail(request));
    return {};
  };
}
