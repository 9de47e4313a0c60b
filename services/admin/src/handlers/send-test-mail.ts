import { randomUUID } from 'node:crypto';
import { type Handler, requirePermission } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { MailServiceService } from '@panel/protos/admin';
import type { AdminContext } from '../context.js';
import { openSecrets } from '../domain/setting-secrets.js';
import { mailAddress } from '../domain/text.js';
import { renderMail } from '../mail/render.js';
import { type Culprit, MailFailure, sendMail } from '../mail/send.js';
import { messageIdOf } from '../mail/worker.js';

/** The whole answer must be there within 10 s, which leaves the mail server a little less. */
const timeoutMs = 8_500;

/** Which field of the settings form a failure belongs to. */
const fieldOf: Readonly<Record<Culprit, string>> = {
  connection: 'mail.host',
  encryption: 'mail.encryption',
  login: 'mail.password',
  sender: 'mail.from_address',
  recipient: 'to',
  message: 'to',
};

/** Send a mail now and say what became of it. */
export function sendTestMail({ settings, box }: AdminContext): Handler<MailServiceService['sendTestMail']> {
  return async (request, { actor, signal, log }) => {
    requirePermission(actor, 'settings.update');
    const to = mailAddress.safeParse(request.to);
    if (!to.success) throw invalidFields({ to: ['must be an e-mail address'] });
    const opened = openSecrets((await settings.read()).settings, box).settings;
    const messageId = messageIdOf(randomUUID(), opened);
    const rendered = renderMail({ kind: 'test' }, { panel: opened.general.name, url: opened.general.url });
    try {
      await sendMail({ ...rendered, to: to.data, messageId }, opened, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        log,
      });
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error;
      throw invalidFields({ [fieldOf[error.culprit]]: [error.message] }, 'the mail server did not take the mail');
    }
    return { messageId: `<${messageId}>` };
  };
}
