import type { BankAccount } from './bank-account.js';
import type { DatevSettings } from './datev-accounts.js';
import type { InvoiceSeller } from './profile.js';
import type { TaxRates } from './tax-rates.js';

export interface BillingSettings extends TaxRates {
  /** ISO 4217, of new products and balances. */
  readonly currency: string;
  readonly panelUrl: string;
  /** IANA name, for day boundaries and printed days. */
  readonly timezone: string;
  /** BCP 47 tag, for customers without a language. */
  readonly locale: string;
  /** Hundredths of a percent; default rate. */
  readonly taxRateBasisPoints: number;
  readonly taxInclusive: boolean;
  readonly taxScheme: 'none' | 'fixed' | 'eu';
  /** ISO 3166-1 alpha-2, or empty. */
  readonly sellerCountry: string;
  /** Of the seller's further VAT numbers. */
  readonly registeredCountries: readonly string[];
  /** One-stop shop: consumers pay the rate of their country. */
  readonly isOss: boolean;
  /** `accept`, `tax`: VIES is asked; which holds until it answers. */
  readonly vatCheck: 'off' | 'accept' | 'tax';
  readonly seller: InvoiceSeller;
  /** PDFs hold the invoice as XML too. */
  readonly eInvoice: boolean;
  /** Null: transfers have no account to go to. */
  readonly bank: BankAccount | null;
  /** Null: without the numbers of consultant and client. */
  readonly datev: DatevSettings | null;
  readonly invoicePrefix: string;
  readonly invoiceDaysBefore: number;
  /** Before a higher price holds for a service. */
  readonly priceChangeDays: number;
  /** Of the first invoice. */
  readonly paymentDays: number;
  /** Days before the due date. */
  readonly reminderDays: number;
  readonly suspendDays: number;
  readonly terminateDays: number;
}
