import { type FieldMessages, fieldProblem, invalidFields, requireValid } from '@panel/kit/errors';
import { monthOf, monthRange } from './calendar.js';

export interface MonthSpan {
  /** "2026-01"; empty: eleven months before `toMonth`. */
  readonly fromMonth: string;
  /** Empty: the current month. */
  readonly toMonth: string;
}

const maxMonths = 120;

const pattern = /^\d{4}-(0[1-9]|1[0-2])$/;

/** Of one month, in `timezone`. Throws INVALID_FIELDS naming `month`. */
export function requireMonth(month: string, timezone: string): { readonly start: Date; readonly end: Date } {
  if (!pattern.test(month)) throw invalidFields({ month: ['must look like 2026-01'] });
  return monthRange(month, timezone);
}

/** In `timezone`. Throws INVALID_FIELDS naming `from_month` or `to_month`. */
export function monthsOf({ fromMonth, toMonth }: MonthSpan, now: Date, timezone: string): string[] {
  const problems: FieldMessages = {};
  if (fromMonth !== '' && !pattern.test(fromMonth)) problems.from_month = ['must look like 2026-01'];
  if (toMonth !== '' && !pattern.test(toMonth)) problems.to_month = ['must look like 2026-01'];
  requireValid(problems);
  const last = numberOf(toMonth || monthOf(now, timezone));
  const first = fromMonth === '' ? last - 11 : numberOf(fromMonth);
  if (first > last) throw invalidFields({ from_month: [fieldProblem('conflicting', 'must not be after to_month')] });
  if (last - first >= maxMonths)
    throw invalidFields({ from_month: [fieldProblem('out_of_range', `must be at most ${maxMonths} months ago`)] });
  return Array.from({ length: last - first + 1 }, (_, index) => textOf(first + index));
}

/** From the start of the first month to the end of the last one. Throws as `monthsOf`. */
export function rangeOf(span: MonthSpan, now: Date, timezone: string): { readonly start: Date; readonly end: Date } {
  const months = monthsOf(span, now, timezone);
  const { start } = monthRange(months[0] ?? '', timezone);
  const { end } = monthRange(months.at(-1) ?? '', timezone);
  return { start, end };
}

function numberOf(month: string): number {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return year * 12 + number - 1;
}

function textOf(number: number): string {
  return `${String(Math.floor(number / 12)).padStart(4, '0')}-${String((number % 12) + 1).padStart(2, '0')}`;
}
