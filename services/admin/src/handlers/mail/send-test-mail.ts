import { invalidFields } from '@panel/kit/errors';
import type { MailServiceService } from '@panel/protos/admin';
import type { Handler } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { mailAddress } from '../../domain/text.js';
import { sendTestMail } from '../../usecases/mail/send-test-mail.js';

export function handleSendTestMail(context: AdminContext): Handler<MailServiceService['sendTestMail']> {
  return async (request, { actor, signal }) => {
    const to = mailAddress.safeParse(request.to);
    if (!to.success) throw invalidFields({ to: ['must be an e-mail address'] });
    const mail = { to: to.data, language: request.language };
    return { messageId: await sendTestMail(context, actor, mail, signal) };
  };
}
