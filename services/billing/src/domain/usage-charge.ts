import type { UsageMonth, UsedInHour } from './usage-price.js';
/** What one hour of one metered subscription costs, and how far it is paid. */
export interface UsageCharge {
  readonly id: string;
  readonly subscriptionId: string;
  readonly userId: string;
  readonly currency: string;
  /** Its beginning. */
  readonly hour: Date;
  /** "2026-01", UTC. */
  readonly month: string;
  readonly used: UsedInHour;
  readonly costMicros: number;
  /** The month with this hour. */
  readonly total: UsageMonth;
  /** With tax. */
  readonly amountMinor: number;
  /** Of that, not paid yet. */
  readonly openMinor: number;
  /** Ledger entries made for it; their ids follow from the number. */
  readonly payments: number;
  /** Empty until its month is invoiced. */
  readonly invoiceId: string;
}

/** What a month of a subscription was charged. */
export interface MonthSum {
  readonly amountMinor: number;
  readonly openMinor: number;
  readonly total: UsageMonth;
}
