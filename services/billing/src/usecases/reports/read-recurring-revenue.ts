import { assertNever } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';
import { monthRange } from '../../domain/calendar.js';
import { divideHalfUp } from '../../domain/money.js';
import type { ActiveSum } from '../../models/report.js';
import { type MonthSpan, monthsOf } from './month-span.js';

export interface RecurringRevenueRow {
  readonly month: string;
  readonly currency: string;
  readonly recurringMinor: number;
  readonly activeServices: number;
  readonly newServices: number;
  readonly endedServices: number;
  readonly churnBasisPoints: number;
}

/** What active services bring per month, and how many come and go. Prices are those the services have now. */
export async function readRecurringRevenue(
  { reports, settings, clock }: BillingContext,
  span: MonthSpan,
): Promise<RecurringRevenueRow[]> {
  const { currency } = await settings.read();
  const rows: RecurringRevenueRow[] = [];
  for (const month of monthsOf(span, clock())) {
    const { start, end } = monthRange(month);
    const [before, after, newServices, endedServices] = await Promise.all([
      reports.activeAt(start, currency),
      reports.activeAt(end, currency),
      reports.countStarted(start, end, currency),
      reports.countEnded(start, end, currency),
    ]);
    const countOf = (sums: readonly ActiveSum[]) => sums.reduce((total, { services }) => total + services, 0);
    const activeBefore = countOf(before);
    rows.push({
      month,
      currency,
      recurringMinor: after.reduce((total, sum) => total + monthlyMinor(sum), 0),
      activeServices: countOf(after),
      newServices,
      endedServices,
      churnBasisPoints: activeBefore === 0 ? 0 : divideHalfUp(endedServices * 10_000, activeBefore),
    });
  }
  return rows;
}

/** A sum of prices per interval as a sum per month: a year has 365 days, 52 weeks, twelve months. */
function monthlyMinor({ interval, intervalCount, priceMinor }: ActiveSum): number {
  switch (interval) {
    case 'day':
      return divideHalfUp(priceMinor * 365, 12 * intervalCount);
    case 'week':
      return divideHalfUp(priceMinor * 52, 12 * intervalCount);
    case 'month':
      return divideHalfUp(priceMinor, intervalCount);
    case 'year':
      return divideHalfUp(priceMinor, 12 * intervalCount);
    case 'once':
    case 'free':
    case 'metered':
      return 0;
    default:
      return assertNever(interval);
  }
}
