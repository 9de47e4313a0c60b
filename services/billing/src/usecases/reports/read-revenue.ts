import type { BillingContext } from '../../context.js';
import { type MonthSpan, rangeOf } from '../../domain/month-span.js';

/** Net; refunds count in their own month, bought credits not. */
export async function readRevenue({ reports, settings, clock }: BillingContext, span: MonthSpan) {
  const { timezone } = await settings.read();
  const { start, end } = rangeOf(span, clock(), timezone);
  return reports.revenue(start, end, timezone);
}
