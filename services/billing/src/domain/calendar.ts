import { assertNever } from '@panel/kit/errors';
import type { PlanInterval } from './product.js';

/** Local date and time. Months count from 1. */
interface WallClock {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** Since local midnight. */
  readonly timeMs: number;
}

const dayMs = 86_400_000;

export type RecurringInterval = 'day' | 'week' | 'month' | 'year';

export function isRecurring(interval: PlanInterval): interval is RecurringInterval {
  return interval === 'day' || interval === 'week' || interval === 'month' || interval === 'year';
}

export interface Period {
  readonly interval: RecurringInterval;
  readonly intervalCount: number;
}

/**
 * End of the n-th period after `anchor`, at the local time of day in `timezone`. From the 31st, shorter months end on
 * their last day, later ones on the 31st again.
 */
export function endOfPeriod(anchor: Date, plan: Period, periods: number, timezone: string): Date {
  const count = plan.intervalCount * periods;
  const start = wallClockOf(anchor, timezone);
  switch (plan.interval) {
    case 'day':
      return instantOf(addDays(start, count), timezone);
    case 'week':
      return instantOf(addDays(start, 7 * count), timezone);
    case 'month':
      return instantOf(addMonths(start, count), timezone);
    case 'year':
      return instantOf(addMonths(start, 12 * count), timezone);
    default:
      return assertNever(plan.interval);
  }
}

/** Days of 24 hours. */
export function addDaysTo(date: Date, days: number): Date {
  return new Date(date.getTime() + days * dayMs);
}

/** "2026-01-31" in `timezone`: how documents, mails and reports write a day. */
export function dayIn(date: Date, timezone: string): string {
  const { year, month, day } = wallClockOf(date, timezone);
  return [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
}

/** Of a day like "2026-01-31"; null: there is no such day. */
export function startOfDay(day: string, timezone: string): Date | null {
  const [year = 0, month = 0, number = 0] = day.split('-').map(Number);
  if (month < 1 || month > 12 || number < 1 || number > daysIn(year, month)) return null;
  return instantOf({ year, month, day: number, timeMs: 0 }, timezone);
}

/** "2026-01". Usage is charged by months of UTC. */
export function monthOf(date: Date, timezone = 'UTC'): string {
  return dayIn(date, timezone).slice(0, 7);
}

/** Starts of a month "2026-01" and the next. */
export function monthRange(month: string, timezone = 'UTC'): { readonly start: Date; readonly end: Date } {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const start = { year, month: number, day: 1, timeMs: 0 };
  return { start: instantOf(start, timezone), end: instantOf(addMonths(start, 1), timezone) };
}

function addDays(from: WallClock, days: number): WallClock {
  const date = new Date(Date.UTC(from.year, from.month - 1, from.day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate(), timeMs: from.timeMs };
}

function addMonths(from: WallClock, months: number): WallClock {
  const total = from.year * 12 + (from.month - 1) + months;
  const year = Math.floor(total / 12);
  const month = (total % 12) + 1;
  return { year, month, day: Math.min(from.day, daysIn(year, month)), timeMs: from.timeMs };
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timezone: string): Intl.DateTimeFormat {
  let format = formats.get(timezone);
  if (!format) {
    const digits = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const;
    format = new Intl.DateTimeFormat('en-US', {
      ...digits,
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
      timeZone: timezone,
    });
    formats.set(timezone, format);
  }
  return format;
}

function wallClockOf(date: Date, timezone: string): WallClock {
  const parts = Object.fromEntries(
    formatOf(timezone)
      .formatToParts(date)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const milliseconds = ((date.getTime() % 1000) + 1000) % 1000;
  return { year, month, day, timeMs: ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds };
}

/** A local time skipped by the clock moves as far after the gap. */
function instantOf(wall: WallClock, timezone: string): Date {
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day) + wall.timeMs;
  const first = asUtc - offsetMs(new Date(asUtc), timezone);
  return new Date(asUtc - offsetMs(new Date(first), timezone));
}

function offsetMs(date: Date, timezone: string): number {
  const { year, month, day, timeMs } = wallClockOf(date, timezone);
  return Date.UTC(year, month - 1, day) + timeMs - date.getTime();
}
