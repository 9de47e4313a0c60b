import { assertNever } from '@panel/kit/errors';
import type { ActiveSum } from '../../domain/report.js';
import type { BillingContext } from '../../context.js';
import { monthRange } from '../../domain/calendar.js';
import { divideHalfUp } from '../../domain/money.js';
import { monthsOf, type MonthSpan } from '../../domain/month-span.js';

interface RecurringRevenueRow {
  readonly month: string;
  readonly currency: string;
  readonly recurringMinor: number;
  readonly activeSubscriptions: number;
  readonly newSubscriptions: number;
  readonly endedSubscriptions: number;
  readonly churnBasisPoints: number;
}

/** At current prices, with starts and ends. */
export async function readRecurringRevenue(
  { reports, settings, clock }: BillingContext,
  span: MonthSpan,
): Promise<RecurringRevenueRow[]> {
  const { currency, timezone } = await settings.read();
  const rows: RecurringRevenueRow[] = [];
  for (const month of monthsOf(span, clock(), timezone)) {
    const { start, end } = monthRange(month, timezone);
    const [before, after, newSubscriptions, endedSubscriptions] = await Promise.all([
      reports.activeAt(start, currency),
      reports.activeAt(end, currency),
      reports.countStarted(start, end, currency),
      reports.countEnded(start, end, currency),
    ]);
    const countOf = (sums: readonly ActiveSum[]) => sums.reduce((total, { subscriptions }) => total + subscriptions, 0);
    const activeBefore = countOf(before);
    rows.push({
      month,
      currency,
      recurringMinor: after.reduce((total, sum) => total + monthlyMinor(sum), 0),
      activeSubscriptions: countOf(after),
      newSubscriptions,
      endedSubscriptions,
      churnBasisPoints: activeBefore === 0 ? 0 : divideHalfUp(endedSubscriptions * 10_000, activeBefore),
    });
  }
  return rows;
}

/** A year has 365 days, 52 weeks, twelve months. */
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
