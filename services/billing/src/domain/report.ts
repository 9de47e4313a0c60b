import type { PlanInterval } from './product.js';
import type { TaxTreatment } from './tax.js';

/** When an invoice counts. */
export type TaxBasis = 'issued' | 'paid';

export interface TaxRow {
  readonly month: string;
  /** ISO 3166-1 alpha-2, or empty. */
  readonly country: string;
  readonly treatment: TaxTreatment;
  /** Hundredths of a percent. */
  readonly basisPoints: number;
  readonly currency: string;
  readonly netMinor: number;
  readonly taxMinor: number;
  readonly totalMinor: number;
  /** With credit notes. */
  readonly invoices: number;
}

export interface RevenueRow {
  readonly month: string;
  readonly productId: string;
  readonly productName: string;
  readonly currency: string;
  readonly revenueMinor: number;
  readonly invoices: number;
}

export interface ActiveSum {
  readonly interval: PlanInterval;
  readonly intervalCount: number;
  readonly priceMinor: number;
  readonly subscriptions: number;
}

export interface EarnedRow {
  readonly productId: string;
  readonly productName: string;
  readonly currency: string;
  readonly earnedMinor: number;
  /** Paid, and to be earned later. */
  readonly deferredMinor: number;
}
