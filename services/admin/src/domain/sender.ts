import { type MailLanguage, mailLanguageOf } from './mail-templates.js';
import type { Sender } from './render-mail.js';
import type { Settings } from './settings.js';

export function senderOf({ general: { name, url, timezone } }: Pick<Settings, 'general'>): Sender {
  return { panel: name, url, timezone };
}

/** Of the recipient; empty: of the panel. */
export function languageOf({ general }: Pick<Settings, 'general'>, tag: string): MailLanguage {
  return mailLanguageOf(tag || general.locale);
}
