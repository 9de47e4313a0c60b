import type { BillingContext } from '../../context.js';
import { type MonthSpan, rangeOf } from '../../domain/month-span.js';
import type { TaxBasis } from '../../domain/report.js';

/** Credit notes count in their own month, bought credits not. Throws INVALID_FIELDS. */
export async function readTax({ reports, settings, clock }: BillingContext, span: MonthSpan, basis: TaxBasis) {
  const { timezone } = await settings.read();
  const { start, end } = rangeOf(span, clock(), timezone);
  return reports.tax(start, end, timezone, basis);
}
