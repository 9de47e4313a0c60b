import type { BankAccount } from './bank-transfer.js';
import type { InvoiceSeller } from './profile.js';

export interface BillingSettings {
  /** ISO 4217, of new products and balances. */
  readonly currency: string;
  readonly panelUrl: string;
  /** IANA name, for day boundaries. */
  readonly timezone: string;
  /** Hundredths of a percent; default rate. */
  readonly taxRateBasisPoints: number;
  /** By ISO 3166-1 alpha-2. */
  readonly taxRatesByCountry: Readonly<Record<string, number>>;
  readonly taxInclusive: boolean;
  readonly seller: InvoiceSeller;
  /** Null: transfers have no account to go to. */
  readonly bank: BankAccount | null;
  readonly invoicePrefix: string;
  readonly invoiceDaysBefore: number;
  /** Of the first invoice. */
  readonly paymentDays: number;
  /** Days before the due date. */
  readonly reminderDays: number;
  readonly suspendDays: number;
  readonly terminateDays: number;
}
