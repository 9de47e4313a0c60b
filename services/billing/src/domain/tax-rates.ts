import { startOfDay } from './calendar.js';
import { isoCountry } from './vat-territory.js';

interface RateChange {
  readonly country: string;
  /** Hundredths of a percent. */
  readonly basisPoints: number;
  readonly from: Date;
}

export interface TaxRates {
  /** By ISO 3166-1 alpha-2, in hundredths of a percent; until the first change. */
  readonly taxRatesByCountry: Readonly<Record<string, number>>;
  readonly taxRateChanges: readonly RateChange[];
}

const entry = /^\s*([A-Z]{2})\s*=\s*(\d{1,2}(?:\.\d{1,2})?|100)\s*(?:@\s*(\d{4}-\d{2}-\d{2})\s*)?$/;

/** "DE=19,FR=20,EE=24@2025-07-01", days in `timezone`. Ignores invalid entries. */
export function parseTaxRates(text: string, timezone: string): TaxRates {
  const rates: [string, number][] = [];
  const taxRateChanges: RateChange[] = [];
  for (const part of text.split(',')) {
    const [, code = '', percent, day] = entry.exec(part) ?? [];
    if (percent === undefined) continue;
    const country = isoCountry(code);
    const basisPoints = Math.round(Number(percent) * 100);
    const from = day === undefined ? null : startOfDay(day, timezone);
    if (from) taxRateChanges.push({ country, basisPoints, from });
    else if (day === undefined) rates.push([country, basisPoints]);
  }
  return { taxRatesByCountry: Object.fromEntries(rates), taxRateChanges };
}

/** Undefined: none of its own. */
export function rateOf(
  country: string,
  { taxRatesByCountry, taxRateChanges = [] }: Pick<TaxRates, 'taxRatesByCountry'> & Partial<TaxRates>,
  at: Date,
): number | undefined {
  const latest = taxRateChanges
    .filter((change) => change.country === country && change.from <= at)
    .reduce<RateChange | null>((last, change) => (last && last.from > change.from ? last : change), null);
  if (latest) return latest.basisPoints;
  return Object.hasOwn(taxRatesByCountry, country) ? taxRatesByCountry[country] : undefined;
}
