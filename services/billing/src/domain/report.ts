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

export interface OpenFilter {
  /** After the last entry that counts. */
  readonly end: Date;
  /** On the day itself; what is due on it is not overdue. */
  readonly at: Date;
  readonly timezone: string;
  readonly currency?: string;
  readonly userId?: string;
}

/** What customers owe, by its age. */
interface OpenSums {
  /** Below zero: money that is on its way back. */
  readonly notDueMinor: number;
  /** By 1 to 30 days. */
  readonly overdue30Minor: number;
  /** By 31 to 60. */
  readonly overdue60Minor: number;
  /** By 61 to 90. */
  readonly overdue90Minor: number;
  readonly overdueLongerMinor: number;
  /** Credits below zero. */
  readonly debtMinor: number;
  readonly totalMinor: number;
}

export interface OpenRow extends OpenSums {
  readonly userId: string;
  readonly currency: string;
}

export interface OpenTotal extends OpenSums {
  readonly currency: string;
}

const openSums = [
  'notDueMinor',
  'overdue30Minor',
  'overdue60Minor',
  'overdue90Minor',
  'overdueLongerMinor',
  'debtMinor',
  'totalMinor',
] as const satisfies readonly (keyof OpenSums)[];

/** By currency, in the order of the rows. */
export function totalsOf(rows: readonly OpenRow[]): OpenTotal[] {
  const totals = new Map<string, Record<(typeof openSums)[number], number> & { readonly currency: string }>();
  for (const { userId: _userId, ...row } of rows) {
    const total = totals.get(row.currency);
    if (!total) totals.set(row.currency, { ...row });
    else for (const name of openSums) total[name] += row[name];
  }
  return [...totals.values()];
}

export interface PaymentsRow {
  readonly month: string;
  readonly gateway: string;
  readonly currency: string;
  readonly receivedMinor: number;
  readonly refundedMinor: number;
  /** Lost to disputes. */
  readonly disputedMinor: number;
  readonly movements: number;
}
