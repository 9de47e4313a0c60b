import type { MailServiceService } from '@panel/protos/admin';
import type { Handler } from '@panel/rpc';
import { mailLanguages, templateNames } from '../../domain/mail-templates.js';

export function handleListMailTemplates(): Handler<MailServiceService['listMailTemplates']> {
  return async () => ({ names: [...templateNames], languages: [...mailLanguages] });
}
