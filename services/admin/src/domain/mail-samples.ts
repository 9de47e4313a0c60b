import type { MailContent } from './mail.js';
import type { TemplateName } from './mail-texts/mail-texts.js';

const customerName = 'Ada Lovelace';
const username = 'ada';
/** Looks like one, and opens nothing. */
const token = 'sample'.repeat(7);

type Sample<Kind extends MailContent['kind']> = Extract<MailContent, { kind: Kind }>;

function invoice(event: Sample<'invoice'>['event']): MailContent {
  const dueAt = '2026-01-31T12:00:00.000Z';
  return { kind: 'invoice', event, customerName, number: 'INV-000042', total: '14.99 EUR', dueAt, document: null };
}

function service(event: Sample<'service'>['event'], more: Partial<Sample<'service'>> = {}): MailContent {
  const unset = { suspendReason: null, endCause: null, endsAt: null };
  return { kind: 'service', event, customerName, serviceName: 'Survival', ...unset, ...more };
}

const endsAt = '2026-02-28T12:00:00.000Z';

/** A mail of each template. */
export const mailSamples: Readonly<Record<TemplateName, MailContent>> = {
  setPassword: { kind: 'setPassword', username, token, validHours: 72 },
  resetPassword: { kind: 'resetPassword', username, token, validMinutes: 60 },
  emailChanged: { kind: 'emailChanged', username, newEmail: 'ada@example.com' },
  invitation: { kind: 'invitation', inviter: 'bob', serverName: 'Survival' },
  'invoice.issued': invoice('issued'),
  'invoice.paid': invoice('paid'),
  'invoice.reminder': invoice('reminder'),
  'invoice.overdue': invoice('overdue'),
  'invoice.refunded': invoice('refunded'),
  'invoice.cancelled': invoice('cancelled'),
  'invoice.payment_failed': invoice('payment_failed'),
  'service.ready': service('ready'),
  'service.suspended': service('suspended'),
  'service.suspended.operator': service('suspended', { suspendReason: 'operator' }),
  'service.suspended.dispute': service('suspended', { suspendReason: 'dispute' }),
  'service.suspended.debt': service('suspended', { suspendReason: 'debt' }),
  'service.suspended.overdue': service('suspended', { suspendReason: 'overdue' }),
  'service.suspended.balance': service('suspended', { suspendReason: 'balance' }),
  'service.unsuspended': service('unsuspended'),
  'service.cancelled': service('cancelled', { endsAt }),
  'service.resumed': service('resumed', { endsAt }),
  'service.ended': service('ended'),
  'service.ended.cancelled': service('ended', { endCause: 'cancelled' }),
  'service.ended.unpaid': service('ended', { endCause: 'unpaid' }),
  'service.ended.operator': service('ended', { endCause: 'operator' }),
  'service.ended.dispute': service('ended', { endCause: 'dispute' }),
  creditsLow: { kind: 'creditsLow', customerName, balance: '1.00 EUR' },
  priceChange: {
    kind: 'priceChange',
    customerName,
    serviceName: 'Survival',
    oldPrice: '14.99 EUR',
    newPrice: '16.99 EUR',
    startsAt: endsAt,
  },
  test: { kind: 'test' },
};
