import {
  amount,
  count,
  date,
  type Field,
  flag,
  id,
  listOf,
  number,
  oneOf,
  optional,
  orNull,
  part,
  type RecordOf,
  text,
} from '@panel/kit/records';
import { evidenceFields } from './place-evidence.js';
import { addDaysTo } from './calendar.js';
import { customerFields, sellerFields } from './profile.js';
import { taxFields } from './tax.js';

export type InvoiceKind = 'invoice' | 'credit_note';
const invoiceStatuses = ['draft', 'unpaid', 'overdue', 'paid', 'void', 'refunded'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** Waiting for payment. */
export const payableStatuses: readonly InvoiceStatus[] = ['unpaid', 'overdue'];

const termFields = {
  interval: oneOf(['day', 'week', 'month', 'year']),
  count,
};

const invoiceItemFields = {
  /** `start`: first period of a subscription; `refund`: credit notes only. */
  purpose: oneOf(['start', 'renewal', 'change', 'credits', 'usage', 'refund']),
  description: text,
  /** Empty without a subscription. */
  subscriptionId: text,
  productId: text,
  productName: text,
  quantity: count,
  unitPriceMinor: count,
  setupFeeMinor: amount,
  discountMinor: amount,
  netMinor: count,
  taxMinor: count,
  totalMinor: count,
  periodStart: orNull(date),
  periodEnd: orNull(date),
  /** Length of a period that begins with the payment; absent: it has dates, or none. */
  term: optional(part(termFields)),
};
export type InvoiceItem = RecordOf<typeof invoiceItemFields>;

/** Negative: a refund. Each id counts once. */
const invoicePaymentFields = {
  id,
  /** `credits`, `manual`, or a gateway. */
  method: id,
  amountMinor: count,
  /** Reference at the gateway. */
  reference: text,
  at: date,
  /** Of the card, ISO 3166-1 alpha-2; absent: not known. */
  cardCountry: optional(text),
};
export type InvoicePayment = RecordOf<typeof invoicePaymentFields>;

/** Money first, then credit note. */
const invoiceRefundFields = {
  id,
  amountMinor: amount,
  destination: oneOf(['credits', 'original']),
  /** Index of the item that it is of; absent: of all, each in its share. */
  line: optional(count),
  reason: text,
  cancelSubscriptions: flag,
  state: oneOf(['pending', 'done', 'failed']),
  creditNoteId: id,
  error: text,
  /** `gateway`: refunded by hand there. `dispute`: lost. */
  origin: oneOf(['operator', 'gateway', 'dispute']),
  /** Reference at the gateway; empty before its response, and for credits. */
  reference: text,
  at: date,
};
export type InvoiceRefund = RecordOf<typeof invoiceRefundFields>;

/** Chargeback at the gateway. */
const invoiceDisputeFields = {
  reference: id,
  outcome: oneOf(['open', 'won', 'lost']),
  at: date,
  /** In question, at which gateway; absent on older ones. */
  amountMinor: optional(amount),
  method: optional(id),
};
export type InvoiceDispute = RecordOf<typeof invoiceDisputeFields>;

/** Once issued, only status, payments and refunds change. */
const invoiceFields = {
  id,
  kind: oneOf(['invoice', 'credit_note']),
  /** Gapless per kind; null before assignment. */
  sequence: orNull(number),
  /** Prefix and sequence; empty without a sequence. */
  number: text,
  status: oneOf(invoiceStatuses),
  userId: id,
  /** Empty without an order. */
  orderId: text,
  /** Credit notes only; else empty. */
  correctsInvoiceId: text,
  currency: id,
  items: listOf(part(invoiceItemFields)),
  subtotalMinor: count,
  discountMinor: amount,
  taxMinor: count,
  totalMinor: count,
  taxRateBasisPoints: amount,
  taxInclusive: flag,
  /** Absent on older ones. */
  tax: optional(part(taxFields)),
  /** Of the tax scheme `eu`; without the cards of payments. */
  evidence: optional(listOf(part(evidenceFields))),
  customer: part(customerFields),
  seller: part(sellerFields),
  /** Of printed days; absent on older ones: UTC. */
  timezone: optional(text),
  /** Of its documents; absent on older ones: English. */
  language: optional(text),
  payments: listOf(part(invoicePaymentFields)),
  refunds: listOf(part(invoiceRefundFields)),
  refundedMinor: amount,
  disputes: listOf(part(invoiceDisputeFields)),
  issuedAt: date,
  dueAt: date,
  paidAt: orNull(date),
  createdAt: date,
};
export type Invoice = RecordOf<typeof invoiceFields>;

/** Payments minus refunds. */
export function paidMinor({ payments }: Pick<Invoice, 'payments'>): number {
  return payments.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

export function isPayable({ kind, status }: Pick<Invoice, 'kind' | 'status'>): boolean {
  return kind === 'invoice' && payableStatuses.includes(status);
}

/** Started payment from credits; its ledger entry has the same id. */
const paymentIntentFields = {
  id,
  amountMinor: amount,
  at: date,
};
export type PaymentIntent = RecordOf<typeof paymentIntentFields>;

/** A gateway has accepted it, or has not answered yet. */
const pendingPaymentFields = {
  /** Of the charge: a repetition charges once. Empty for payments of customers. */
  key: text,
  /** That is charged; likewise. */
  methodId: text,
  /** Name of the gateway. */
  method: id,
  amountMinor: amount,
  /** At the gateway; empty before its answer. */
  reference: text,
  at: date,
};
export type PendingPayment = RecordOf<typeof pendingPaymentFields>;

/** Next step while unpaid. */
export type DunningStep = 'remind' | 'due' | 'suspend' | 'terminate';

export const invoiceRecordFields = {
  ...invoiceFields,
  intent: orNull(part(paymentIntentFields)),
  pendingPayment: optional(orNull(part(pendingPaymentFields))),
  /** Also of a retry; null: done. */
  effectsDueAt: orNull(date),
  step: orNull(text as Field<DunningStep>),
  stepAt: orNull(date),
};
export type InvoiceRecord = RecordOf<typeof invoiceRecordFields>;

/** Debits take that long at most; then nothing will come of it. */
const pendingDays = 14;

/** An accepted payment that is neither paid nor failed: no other one is begun beside it. */
export function acceptedPayment(
  { pendingPayment }: Pick<InvoiceRecord, 'pendingPayment'>,
  now: Date,
): PendingPayment | null {
  if (!pendingPayment || pendingPayment.reference === '') return null;
  return addDaysTo(pendingPayment.at, pendingDays) > now ? pendingPayment : null;
}
