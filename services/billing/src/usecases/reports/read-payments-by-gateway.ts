import type { BillingContext } from '../../context.js';
import { type MonthSpan, rangeOf } from '../../domain/month-span.js';
import type { PaymentsRow } from '../../domain/report.js';
import { fail } from '../../reasons.js';

/** As the statements of gateways and the bank have it. Throws INVALID_FIELDS, REPORT_TOO_LARGE. */
export async function readPaymentsByGateway(
  { journalReports, settings, clock }: BillingContext,
  span: MonthSpan,
): Promise<PaymentsRow[]> {
  const { timezone } = await settings.read();
  const { start, end } = rangeOf(span, clock(), timezone);
  const rows = await journalReports.payments(start, end, timezone);
  if (!rows) throw fail('REPORT_TOO_LARGE', 'ask for fewer months: it takes too long');
  return rows;
}
