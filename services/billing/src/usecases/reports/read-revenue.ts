import type { BillingContext } from '../../context.js';
import { monthRange } from '../../domain/calendar.js';
import { monthsOf, type MonthSpan } from '../../domain/month-span.js';

/** Net; refunds count in their own month, bought credits not. */
export async function readRevenue({ reports, settings, clock }: BillingContext, span: MonthSpan) {
  const { timezone } = await settings.read();
  const months = monthsOf(span, clock(), timezone);
  const { start } = monthRange(months[0] ?? '', timezone);
  const { end } = monthRange(months.at(-1) ?? '', timezone);
  return reports.revenue(start, end, timezone);
}
