import type { InvoiceSeller } from './profile.js';

/** What billing needs of the settings of the installation. */
export interface BillingSettings {
  /** ISO 4217: of new products and of balances. */
  readonly currency: string;
  readonly panelUrl: string;
  /** IANA name: days begin and end there. */
  readonly timezone: string;
  /** Hundredths of a percent, for countries without a rate of their own. */
  readonly taxRateBasisPoints: number;
  /** By ISO 3166-1 alpha-2. */
  readonly taxRatesByCountry: Readonly<Record<string, number>>;
  readonly taxInclusive: boolean;
  readonly seller: InvoiceSeller;
  readonly invoicePrefix: string;
  readonly invoiceDaysBefore: number;
  /** Time to pay the first invoice. */
  readonly paymentDays: number;
  /** Days before the due date at which a reminder is sent. */
  readonly reminderDays: number;
  readonly suspendDays: number;
  readonly terminateDays: number;
}
