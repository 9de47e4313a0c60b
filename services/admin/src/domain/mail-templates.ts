import type { MailContent } from './mail.js';
import { arabic } from './mail-texts/ar.js';
import { german } from './mail-texts/de.js';
import { english } from './mail-texts/en.js';
import type { ActionName, MailTexts, TemplateName } from './mail-texts/mail-texts.js';

/** The languages of the web console. */
export const mailLanguages = ['en', 'de', 'ar'] as const;
export type MailLanguage = (typeof mailLanguages)[number];

export const mailTexts: Readonly<Record<MailLanguage, MailTexts>> = { en: english, de: german, ar: arabic };

/** Of a BCP 47 tag, by its language: "de-AT" is "de". English if there are no texts in it. */
export function mailLanguageOf(tag: string): MailLanguage {
  const language = tag.toLowerCase().split('-')[0];
  return mailLanguages.find((one) => one === language) ?? 'en';
}

/** Tokens are in the URL fragment, which never leaves the browser: no server log or Referer contains it. */
export const actionLinks: Readonly<Record<ActionName, string>> = {
  choosePassword: '{{url}}/password/set#token={{token}}',
  resetPassword: '{{url}}/password/reset#token={{token}}',
  panel: '{{url}}',
  invoices: '{{url}}/billing/invoices',
  services: '{{url}}/billing/services',
  credits: '{{url}}/billing/credits',
};

export const templateNames = Object.keys(english.templates) as readonly TemplateName[];

export function templateNameOf(content: MailContent): TemplateName {
  if (content.kind === 'invoice') return `invoice.${content.event}`;
  if (content.kind !== 'service') return content.kind;
  const { event, suspendReason, endCause } = content;
  if (event === 'suspended' && suspendReason) return `service.suspended.${suspendReason}`;
  if (event === 'ended' && endCause) return `service.ended.${endCause}`;
  return `service.${event}`;
}

/** Null: no button. */
export function actionOf(name: TemplateName): ActionName | null {
  switch (name) {
    case 'setPassword':
      return 'choosePassword';
    case 'resetPassword':
      return 'resetPassword';
    case 'invitation':
      return 'panel';
    case 'emailChanged':
    case 'test':
      return null;
    case 'creditsLow':
    case 'service.suspended.debt':
    case 'service.suspended.balance':
      return 'credits';
    case 'service.suspended.overdue':
      return 'invoices';
    default:
      return name.startsWith('invoice.') ? 'invoices' : 'services';
  }
}
