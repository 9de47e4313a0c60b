import type { BillingContext } from '../../context.js';
import { monthRange } from '../../domain/calendar.js';
import { monthsOf, type MonthSpan } from '../../domain/month-span.js';
import type { TaxBasis } from '../../domain/report.js';

/** Credit notes count in their own month, bought credits not. Throws INVALID_FIELDS. */
export async function readTax({ reports, settings, clock }: BillingContext, span: MonthSpan, basis: TaxBasis) {
  const { timezone } = await settings.read();
  const months = monthsOf(span, clock(), timezone);
  const { start } = monthRange(months[0] ?? '', timezone);
  const { end } = monthRange(months.at(-1) ?? '', timezone);
  return reports.tax(start, end, timezone, basis);
}
