import { fieldProblem, invalidFields } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';
import { addDaysTo, dayIn, startOfDay } from '../../domain/calendar.js';
import { type OpenRow, type OpenTotal, totalsOf } from '../../domain/report.js';
import { fail } from '../../reasons.js';

/** Of customers, in one answer. */
const maxRows = 10_000;

interface ReceivablesQuery {
  /** "2026-01-31" in the time zone of the settings; empty: today. */
  readonly at: string;
  /** Empty: all. */
  readonly currency: string;
  /** Empty: all. */
  readonly userId: string;
}

interface Receivables {
  readonly at: string;
  readonly rows: readonly (OpenRow & { readonly customer: string })[];
  readonly totals: readonly OpenTotal[];
}

/** At the end of the day. Throws INVALID_FIELDS, REPORT_TOO_LARGE. */
export async function readReceivables(context: BillingContext, query: ReceivablesQuery): Promise<Receivables> {
  const { journalReports, profiles, settings, clock } = context;
  const { timezone } = await settings.read();
  const at = query.at || dayIn(clock(), timezone);
  const start = /^\d{4}-\d{2}-\d{2}$/.test(at) ? startOfDay(at, timezone) : null;
  if (!start) throw invalidFields({ at: ['must look like 2026-01-31'] });
  if (start > clock()) throw invalidFields({ at: [fieldProblem('out_of_range', 'must not be after today')] });
  const filter = {
    at: start,
    end: startOfDay(dayIn(addDaysTo(start, 1.5), timezone), timezone) ?? start,
    timezone,
    ...(query.currency === '' ? {} : { currency: query.currency }),
    ...(query.userId === '' ? {} : { userId: query.userId }),
  };
  const rows = await journalReports.receivables(filter, maxRows);
  if (!rows) throw fail('REPORT_TOO_LARGE', `ask for one currency or customer: more than ${maxRows} rows, or too long`);
  const found = await profiles.getMany(rows.map(({ userId }) => userId));
  const nameOf = (userId: string) => found.get(userId)?.company || (found.get(userId)?.name ?? '');
  return { at, rows: rows.map((row) => ({ ...row, customer: nameOf(row.userId) })), totals: totalsOf(rows) };
}
