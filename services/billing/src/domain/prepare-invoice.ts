import { addDaysTo } from './calendar.js';
import type { InvoiceItem, InvoicePayment, InvoiceRecord } from './invoice.js';
import { placeEvidence } from './place-evidence.js';
import { documentLanguageOf } from './language.js';
import type { BillingProfile, Customer } from './profile.js';
import type { BillingSettings } from './settings.js';
import { type AppliedTax, taxFactsOf } from './tax.js';

export interface NewInvoice {
  readonly id: string;
  readonly userId: string;
  readonly currency: string;
  readonly at: Date;
  readonly dueAt: Date;
  /** Taxed by `tax`. */
  readonly items: readonly InvoiceItem[];
  readonly tax: AppliedTax;
  /** If paid in advance. */
  readonly payment?: InvoicePayment;
}

interface InvoiceFacts {
  readonly settings: BillingSettings;
  readonly profile: BillingProfile;
  readonly customer: Customer;
}

/** Without a number. */
export function prepareInvoice(request: NewInvoice, { settings, profile, customer }: InvoiceFacts): InvoiceRecord {
  const { id, userId, currency, at, dueAt, items, tax, payment } = request;
  const sum = (amount: (item: InvoiceItem) => number) => items.reduce((total, item) => total + amount(item), 0);
  const totalMinor = sum((item) => item.totalMinor);
  if (!Number.isSafeInteger(totalMinor)) throw new TypeError(`the total of invoice ${id} is no number`);
  const isFree = totalMinor === 0;
  const isPaid = isFree || payment !== undefined;
  const remindAt = addDaysTo(dueAt, -settings.reminderDays);
  const { name, company, address, country, vatNumber, buyerReference } = profile;
  return {
    id,
    kind: 'invoice',
    sequence: null,
    number: '',
    status: isPaid ? 'paid' : 'unpaid',
    userId,
    orderId: '',
    correctsInvoiceId: '',
    currency,
    items,
    subtotalMinor: sum((item) => item.quantity * (item.unitPriceMinor + item.setupFeeMinor)),
    discountMinor: sum((item) => item.discountMinor),
    taxMinor: sum((item) => item.taxMinor),
    totalMinor,
    taxRateBasisPoints: tax.basisPoints,
    taxInclusive: tax.isInclusive,
    tax: taxFactsOf(tax),
    ...(settings.taxScheme === 'eu' ? { evidence: placeEvidence({ billing: profile.country }) } : {}),
    customer: {
      name: name || customer.name,
      email: customer.email,
      company,
      address,
      country,
      vatNumber,
      ...(buyerReference ? { buyerReference } : {}),
    },
    seller: settings.seller,
    timezone: settings.timezone,
    language: documentLanguageOf(customer.language || settings.locale),
    payments: payment ? [payment] : [],
    refunds: [],
    refundedMinor: 0,
    disputes: [],
    issuedAt: at,
    dueAt,
    paidAt: isPaid ? at : null,
    createdAt: at,
    intent: null,
    effectsDueAt: isFree ? at : null,
    step: isPaid ? null : 'remind',
    stepAt: isPaid ? null : remindAt,
  };
}
