import type { BillingContext } from '../../context.js';
import { monthRange } from '../../domain/calendar.js';
import { monthsOf, type MonthSpan } from '../../domain/month-span.js';
import type { EarnedRow } from '../../domain/report.js';

interface RecognizedRow extends EarnedRow {
  readonly month: string;
}

/** By month and product. Throws INVALID_FIELDS. */
export async function readRecognizedRevenue(
  { revenueSchedules, settings, clock }: BillingContext,
  span: MonthSpan,
): Promise<RecognizedRow[]> {
  const { timezone } = await settings.read();
  const rows: RecognizedRow[] = [];
  for (const month of monthsOf(span, clock(), timezone)) {
    const { start, end } = monthRange(month, timezone);
    for (const row of await revenueSchedules.earned(start, end)) rows.push({ month, ...row });
  }
  return rows;
}
