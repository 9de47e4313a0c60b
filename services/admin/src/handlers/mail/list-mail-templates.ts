import type { MailServiceService } from '@panel/protos/admin';
import type { Handler } from '@panel/rpc';
import { listMailTemplates } from '../../usecases/mail/list-mail-templates.js';

export function handleListMailTemplates(): Handler<MailServiceService['listMailTemplates']> {
  return async () => listMailTemplates();
}
