import type { BankTransfer } from '../domain/bank-transfer.js';
import type { DocumentLanguage } from '../domain/language.js';
import type { InvoiceSeller } from '../domain/profile.js';
import type { TaxLine, TaxTreatment } from '../domain/tax.js';

/** Amounts in minor units of `currency`. */
export interface InvoiceView {
  readonly number: string;
  readonly issuedAt: Date;
  readonly dueAt: Date | null;
  /** IANA name, of all days. */
  readonly timezone: string;
  readonly language: DocumentLanguage;
  readonly seller: InvoiceSeller;
  readonly customer: InvoiceParty;
  readonly lines: readonly InvoiceLine[];
  readonly subtotal: number;
  readonly discount: number;
  /** By rate; empty: the seller charges no tax. */
  readonly taxes: readonly TaxLine[];
  /** Prices hold it already. */
  readonly taxInclusive: boolean;
  readonly treatment: TaxTreatment;
  /** Of `exempt`. */
  readonly taxReason: string;
  readonly total: number;
  readonly currency: string;
  readonly status: 'draft' | 'unpaid' | 'overdue' | 'paid' | 'void' | 'refunded';
  readonly payments: readonly InvoiceViewPayment[];
  /** Null: it is paid, or the shop has no account. */
  readonly transfer: BankTransfer | null;
  /** Credit notes only. */
  readonly creditedInvoiceNumber?: string | undefined;
}

export interface InvoiceParty {
  readonly name: string;
  readonly email: string;
  readonly company: string;
  /** Lines end with a line feed. */
  readonly address: string;
  /** ISO 3166-1 alpha-2; empty: unknown. */
  readonly country: string;
  readonly vatNumber: string;
}

export interface InvoiceLine {
  readonly description: string;
  /** Part of the total; 0: none. */
  readonly setupFee: number;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly discount: number;
  readonly period: ServicePeriod | null;
  /** Hundredths of a percent. */
  readonly taxRate: number;
  readonly tax: number;
  readonly total: number;
}

/** Of a service: until before `end`, or as long from its payment on. */
export type ServicePeriod =
  | { readonly start: Date; readonly end: Date }
  | { readonly interval: 'day' | 'week' | 'month' | 'year'; readonly count: number };

export interface InvoiceViewPayment {
  readonly method: string;
  readonly reference: string;
  /** Negative: a refund. */
  readonly amount: number;
  readonly at: Date;
}
