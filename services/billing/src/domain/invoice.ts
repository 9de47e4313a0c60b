import type { InvoiceCustomer, InvoiceSeller } from './profile.js';

export type InvoiceKind = 'invoice' | 'credit_note';
export const invoiceStatuses = ['draft', 'unpaid', 'overdue', 'paid', 'void', 'refunded'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** Waiting for payment. */
export const payableStatuses: readonly InvoiceStatus[] = ['unpaid', 'overdue'];

type LinePurpose =
  /** First period of a subscription. */
  | 'start'
  | 'renewal'
  | 'change'
  | 'credits'
  | 'usage'
  /** Credit notes only. */
  | 'refund';

export interface InvoiceItem {
  readonly purpose: LinePurpose;
  readonly description: string;
  /** Empty without a subscription. */
  readonly subscriptionId: string;
  readonly productId: string;
  readonly productName: string;
  readonly quantity: number;
  readonly unitPriceMinor: number;
  readonly setupFeeMinor: number;
  readonly discountMinor: number;
  readonly netMinor: number;
  readonly taxMinor: number;
  readonly totalMinor: number;
  readonly periodStart: Date | null;
  readonly periodEnd: Date | null;
}

/** Negative: a refund. Each id counts once. */
export interface InvoicePayment {
  readonly id: string;
  /** `credits`, `manual`, or a gateway. */
  readonly method: string;
  readonly amountMinor: number;
  /** Reference at the gateway. */
  readonly reference: string;
  readonly at: Date;
}

/** Money first, then credit note. */
export interface InvoiceRefund {
  readonly id: string;
  readonly amountMinor: number;
  readonly destination: 'credits' | 'original';
  readonly reason: string;
  readonly cancelSubscriptions: boolean;
  readonly state: 'pending' | 'done' | 'failed';
  readonly creditNoteId: string;
  readonly error: string;
  /** `gateway`: refunded by hand there, or by a lost dispute. */
  readonly origin: 'operator' | 'gateway';
  /** Reference at the gateway; empty before its response, and for credits. */
  readonly reference: string;
  readonly at: Date;
}

/** Chargeback at the gateway. */
export interface InvoiceDispute {
  readonly reference: string;
  readonly outcome: 'open' | 'won' | 'lost';
  readonly at: Date;
}

/** Once issued, only status, payments and refunds change. */
export interface Invoice {
  readonly id: string;
  readonly kind: InvoiceKind;
  /** Gapless per kind; null before assignment. */
  readonly sequence: number | null;
  /** Prefix and sequence; empty without a sequence. */
  readonly number: string;
  readonly status: InvoiceStatus;
  readonly userId: string;
  /** Empty without an order. */
  readonly orderId: string;
  /** Credit notes only; else empty. */
  readonly correctsInvoiceId: string;
  readonly currency: string;
  readonly items: readonly InvoiceItem[];
  readonly subtotalMinor: number;
  readonly discountMinor: number;
  readonly taxMinor: number;
  readonly totalMinor: number;
  readonly taxRateBasisPoints: number;
  readonly taxInclusive: boolean;
  readonly customer: InvoiceCustomer;
  readonly seller: InvoiceSeller;
  readonly payments: readonly InvoicePayment[];
  readonly refunds: readonly InvoiceRefund[];
  readonly refundedMinor: number;
  readonly disputes: readonly InvoiceDispute[];
  readonly issuedAt: Date;
  readonly dueAt: Date;
  readonly paidAt: Date | null;
  readonly createdAt: Date;
}

/** Payments minus refunds. */
export function paidMinor({ payments }: Pick<Invoice, 'payments'>): number {
  return payments.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

export function isPayable({ kind, status }: Pick<Invoice, 'kind' | 'status'>): boolean {
  return kind === 'invoice' && payableStatuses.includes(status);
}

/** Started payment from credits; its ledger entry has the same id. */
export interface PaymentIntent {
  readonly id: string;
  readonly amountMinor: number;
  readonly at: Date;
}

/** Next step while unpaid. */
export type DunningStep = 'remind' | 'due' | 'suspend' | 'terminate';

export interface InvoiceRecord extends Invoice {
  readonly intent: PaymentIntent | null;
  /** Also of a retry; null: done. */
  readonly effectsDueAt: Date | null;
  readonly step: DunningStep | null;
  readonly stepAt: Date | null;
}
