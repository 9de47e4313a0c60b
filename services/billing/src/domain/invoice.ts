import type { InvoiceCustomer, InvoiceSeller } from './profile.js';

export type InvoiceKind = 'invoice' | 'credit_note';
export const invoiceStatuses = ['draft', 'unpaid', 'overdue', 'paid', 'void', 'refunded'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** An invoice in one of these waits for its payment. */
export const payableStatuses: readonly InvoiceStatus[] = ['unpaid', 'overdue'];

/** What the payment of a line brings about. */
type LinePurpose =
  /** The first period of a subscription. */
  | 'start'
  | 'renewal'
  | 'change'
  /** Credits are added to the balance. */
  | 'credits'
  | 'usage'
  /** Of credit notes. */
  | 'refund';

export interface InvoiceItem {
  readonly purpose: LinePurpose;
  readonly description: string;
  /** Empty when it is not about a subscription. */
  readonly subscriptionId: string;
  readonly productId: string;
  readonly productName: string;
  readonly quantity: number;
  readonly unitPriceMinor: number;
  readonly setupFeeMinor: number;
  readonly discountMinor: number;
  /** Without tax. */
  readonly netMinor: number;
  readonly taxMinor: number;
  /** With tax. */
  readonly totalMinor: number;
  readonly periodStart: Date | null;
  readonly periodEnd: Date | null;
}

/** Money that came in; negative: that went back. Each id counts once. */
export interface InvoicePayment {
  readonly id: string;
  /** `credits`, `manual`, or the name of a gateway. */
  readonly method: string;
  readonly amountMinor: number;
  /** The gateway's name of it. */
  readonly reference: string;
  readonly at: Date;
}

/** A refund on its way: the money first, then the credit note. */
export interface InvoiceRefund {
  readonly id: string;
  readonly amountMinor: number;
  readonly destination: 'credits' | 'original';
  readonly reason: string;
  readonly cancelSubscriptions: boolean;
  readonly state: 'pending' | 'done' | 'failed';
  readonly creditNoteId: string;
  readonly error: string;
  /** `gateway`: the money went back there without us, after a refund by hand or a lost dispute. */
  readonly origin: 'operator' | 'gateway';
  /** The gateway's name of it; empty before the gateway has answered, and for credits. */
  readonly reference: string;
  readonly at: Date;
}

/** Money that a customer claims back through the gateway. */
export interface InvoiceDispute {
  readonly reference: string;
  readonly outcome: 'open' | 'won' | 'lost';
  readonly at: Date;
}

/** An invoice or a credit note. Once issued only status, payments and refunds change. */
export interface Invoice {
  readonly id: string;
  readonly kind: InvoiceKind;
  /** Place in the sequence of its kind, without gaps; null for what has none yet. */
  readonly sequence: number | null;
  /** Prefix and sequence; empty without one. */
  readonly number: string;
  readonly status: InvoiceStatus;
  readonly userId: string;
  /** Empty when it does not come from an order. */
  readonly orderId: string;
  /** Of a credit note: the invoice it corrects; empty otherwise. */
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

/** What was paid and not given back. */
export function paidMinor({ payments }: Pick<Invoice, 'payments'>): number {
  return payments.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/** Whether money can still be paid towards it. */
export function isPayable({ kind, status }: Pick<Invoice, 'kind' | 'status'>): boolean {
  return kind === 'invoice' && payableStatuses.includes(status);
}

/** A payment from credits that was started: its ledger entry has the same id. */
export interface PaymentIntent {
  readonly id: string;
  readonly amountMinor: number;
  readonly at: Date;
}

/** What comes next while it is unpaid. */
export type DunningStep = 'remind' | 'due' | 'suspend' | 'terminate';

/** An invoice with the state of the work on it. */
export interface InvoiceRecord extends Invoice {
  readonly intent: PaymentIntent | null;
  /** When what its payment brings about has to be done (again); null: it is done. */
  readonly effectsDueAt: Date | null;
  readonly step: DunningStep | null;
  readonly stepAt: Date | null;
}
