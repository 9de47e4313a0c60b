import type { InvoiceMailEvent, MailContent, ServiceMailEvent } from './mail.js';

/** `{{name}}` is a value; no logic, no second pass. */
interface Template {
  readonly subject: string;
  /** Paragraphs before the button. */
  readonly opening: readonly string[];
  /** Link into the panel. */
  readonly action?: { readonly label: string; readonly link: string };
  /** Paragraphs after it. */
  readonly closing: readonly string[];
}

/** One per event for invoices and services. */
export type TemplateName =
  Exclude<MailContent['kind'], 'invoice' | 'service'> | `invoice.${InvoiceMailEvent}` | `service.${ServiceMailEvent}`;

export function templateOf(content: MailContent): Template {
  if (content.kind === 'invoice') return templates[`invoice.${content.event}`];
  if (content.kind === 'service') return templates[`service.${content.event}`];
  return templates[content.kind];
}

const invoices = { label: 'Open your invoices', link: '{{url}}/billing/invoices' };
const services = { label: 'Open your services', link: '{{url}}/billing/services' };

/** Tokens are in the URL fragment, which never leaves the browser: no server log or Referer contains it. */
export const templates: Readonly<Record<TemplateName, Template>> = {
  setPassword: {
    subject: 'Your account at {{panel}}',
    opening: ['Hello {{username}},', 'an account has been made for you at {{panel}}. Choose a password to use it.'],
    action: { label: 'Choose a password', link: '{{url}}/password/set#token={{token}}' },
    closing: ['This link works once, within {{validHours}} hours.'],
  },
  resetPassword: {
    subject: 'A new password for {{panel}}',
    opening: [
      'Hello {{username}},',
      'somebody, hopefully you, has asked for a new password for your account at {{panel}}.',
    ],
    action: { label: 'Choose a new password', link: '{{url}}/password/reset#token={{token}}' },
    closing: [
      'This link works once, within {{validMinutes}} minutes.',
      'If it was not you, nothing has happened and you need not do anything.',
    ],
  },
  emailChanged: {
    subject: 'Your e-mail address at {{panel}} has changed',
    opening: [
      'Hello {{username}},',
      'the e-mail address of your account at {{panel}} is now {{newEmail}}. Nothing more will be sent to this one.',
    ],
    closing: ['If it was not you, notify the operators of {{panel}} at once.'],
  },
  invitation: {
    subject: 'An invitation to a game server at {{panel}}',
    opening: [
      'Hello,',
      '{{inviter}} has given you access to the game server {{serverName}} at {{panel}}.',
      'It is there for you as soon as you have an account with this e-mail address.',
    ],
    action: { label: 'Open the panel', link: '{{url}}' },
    closing: ['If you do not know {{inviter}}, do nothing.'],
  },
  'invoice.issued': {
    subject: 'Invoice {{number}} of {{panel}}',
    opening: ['Hello {{customerName}},', 'your invoice {{number}} of {{total}} is due on {{dueDate}}.'],
    action: invoices,
    closing: ['Thank you for your order.'],
  },
  'invoice.paid': {
    subject: 'Payment received for {{number}}',
    opening: ['Hello {{customerName}},', 'your invoice {{number}} of {{total}} is paid.'],
    action: invoices,
    closing: ['Thank you.'],
  },
  'invoice.reminder': {
    subject: 'Reminder: invoice {{number}} is due on {{dueDate}}',
    opening: [
      'Hello {{customerName}},',
      'your invoice {{number}} of {{total}} is due on {{dueDate}} and not paid yet.',
    ],
    action: invoices,
    closing: ['If you have paid it in the meantime, you need not do anything.'],
  },
  'invoice.overdue': {
    subject: 'Invoice {{number}} is overdue',
    opening: [
      'Hello {{customerName}},',
      'your invoice {{number}} of {{total}} was due on {{dueDate}} and is not paid.',
      'Services that are not paid for are suspended, and later deleted with all their files.',
    ],
    action: invoices,
    closing: ['If you have paid it in the meantime, you need not do anything.'],
  },
  'invoice.refunded': {
    subject: 'Refund for invoice {{number}}',
    opening: [
      'Hello {{customerName}},',
      'money was returned for your invoice {{number}}; you find a credit note in the panel.',
    ],
    action: invoices,
    closing: ['A refund to a card or an account takes some days to arrive.'],
  },
  'invoice.payment_failed': {
    subject: 'The payment of {{number}} failed',
    opening: ['Hello {{customerName}},', 'your stored payment method was refused for invoice {{number}} of {{total}}.'],
    action: invoices,
    closing: ['Please pay the invoice in another way until {{dueDate}}.'],
  },
  'service.ready': {
    subject: '{{serviceName}} is ready',
    opening: ['Hello {{customerName}},', 'your server {{serviceName}} has been created.'],
    action: services,
    closing: ['Have fun.'],
  },
  'service.suspended': {
    subject: '{{serviceName}} is suspended',
    opening: ['Hello {{customerName}},', 'your server {{serviceName}} was suspended, because it is not paid for.'],
    action: services,
    closing: ['It is available again as soon as it is paid for. Its files are kept until then, but not for ever.'],
  },
  'service.unsuspended': {
    subject: '{{serviceName}} is available again',
    opening: ['Hello {{customerName}},', 'your server {{serviceName}} can be started again.'],
    action: services,
    closing: ['Thank you.'],
  },
  'service.ended': {
    subject: '{{serviceName}} has ended',
    opening: ['Hello {{customerName}},', 'your service {{serviceName}} has ended, and its server is being deleted.'],
    action: services,
    closing: ['Thank you for having been our customer.'],
  },
  creditsLow: {
    subject: 'Your credits at {{panel}} are running low',
    opening: [
      'Hello {{customerName}},',
      'your credits are down to {{balance}}. Servers that are paid by use are suspended when nothing is left.',
    ],
    action: { label: 'Open your credits', link: '{{url}}/billing/credits' },
    closing: ['You can buy credits at any time.'],
  },
  test: {
    subject: 'Test mail from {{panel}}',
    opening: ['This mail shows that {{panel}} can send mail.'],
    closing: ['It was sent because an administrator asked for it.'],
  },
};
