import type { BillingContext } from '../../context.js';
import { monthRange } from '../../domain/calendar.js';
import { monthsOf, type MonthSpan } from '../../domain/month-span.js';

/** Net; refunds count in their own month, bought credits not. */
export async function readRevenue({ reports, clock }: BillingContext, span: MonthSpan) {
  const months = monthsOf(span, clock());
  const start = monthRange(months[0] ?? '').start;
  const end = monthRange(months.at(-1) ?? '').end;
  return reports.revenue(start, end);
}
