import { amount, count, date, id, part, type RecordOf, text } from '@panel/kit/records';
import { type UsageMonth, usageMonthFields, usedFields } from './usage-price.js';
export const usageChargeFields = {
  id,
  subscriptionId: id,
  userId: id,
  currency: id,
  /** Start of the hour. */
  hour: date,
  /** "2026-01", UTC. */
  month: id,
  used: part(usedFields),
  costMicros: count,
  /** Including this hour. */
  total: part(usageMonthFields),
  /** With tax. */
  amountMinor: amount,
  /** Unpaid part. */
  openMinor: amount,
  /** Count of ledger entries with derived ids. */
  payments: count,
  /** Empty before the month's invoice. */
  invoiceId: text,
};
export type UsageCharge = RecordOf<typeof usageChargeFields>;

export interface MonthSum {
  readonly amountMinor: number;
  readonly openMinor: number;
  readonly total: UsageMonth;
}
