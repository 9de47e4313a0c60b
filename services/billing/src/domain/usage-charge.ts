import type { UsageMonth, UsedInHour } from './usage-price.js';
export interface UsageCharge {
  readonly id: string;
  readonly subscriptionId: string;
  readonly userId: string;
  readonly currency: string;
  /** Start of the hour. */
  readonly hour: Date;
  /** "2026-01", UTC. */
  readonly month: string;
  readonly used: UsedInHour;
  readonly costMicros: number;
  /** Including this hour. */
  readonly total: UsageMonth;
  /** With tax. */
  readonly amountMinor: number;
  /** Unpaid part. */
  readonly openMinor: number;
  /** Count of ledger entries with derived ids. */
  readonly payments: number;
  /** Empty before the month's invoice. */
  readonly invoiceId: string;
}

export interface MonthSum {
  readonly amountMinor: number;
  readonly openMinor: number;
  readonly total: UsageMonth;
}
