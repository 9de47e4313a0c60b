import { dayIn } from '../domain/calendar.js';
import { formatAmount, formatMoney } from '../domain/currency.js';
import type { DocumentLanguage } from '../domain/language.js';
import type { Direction } from './text-runs.js';

/** Writes values for a text in one language. */
export interface ValueFormat {
  readonly direction: Direction;
  /** Minor units with the currency. */
  readonly money: (minor: number) => string;
  /** Without it. */
  readonly amount: (minor: number) => string;
  readonly count: (count: number) => string;
  readonly percent: (basisPoints: number) => string;
  readonly day: (at: Date) => string;
  readonly duration: (count: number, unit: 'day' | 'week' | 'month' | 'year') => string;
  /** Of a name or a number from elsewhere. */
  readonly value: (text: string) => string;
}

export function valueFormat(language: DocumentLanguage, currency: string, timezone: string): ValueFormat {
  const direction = language === 'ar' ? 'rtl' : 'ltr';
  const value = direction === 'rtl' ? isolate : (text: string) => text;
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 });
  const count = new Intl.NumberFormat(language);
  const duration = (unit: string) => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  return {
    direction,
    money: (minor) => value(formatMoney(minor, currency, language)),
    amount: (minor) => value(formatAmount(minor, currency, language)),
    count: (number) => value(count.format(number)),
    percent: (basisPoints) => value(percent.format(basisPoints / 10_000)),
    day: (at) => value(dayIn(at, timezone)),
    duration: (number, unit) => duration(unit).format(number),
    value,
  };
}

/** Direction marks and controls, those of `Intl` too: an isolate must end where it ends. */
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Inside of a text from right to left a value keeps its own order (Unicode FSI and PDI). */
function isolate(text: string): string {
  return `\u2068${text.replace(directionMarks, '')}\u2069`;
}
