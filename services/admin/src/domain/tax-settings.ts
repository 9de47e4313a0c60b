import { z } from 'zod';

const memberStates = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

/** VAT writes EL for Greece, ISO 3166 GR. */
const isoOf = (country: string): string => (country === 'EL' ? 'GR' : country);

interface RateEntry {
  readonly country: string;
  /** Empty: always. */
  readonly from: string;
}

/** Null: malformed, or two rates of a country for one day. */
function rateEntries(text: string): RateEntry[] | null {
  if (text.trim() === '') return [];
  const entries = text.split(',').map((part): RateEntry | null => {
    const match = /^\s*([A-Z]{2})\s*=\s*(?:\d{1,2}(?:\.\d{1,2})?|100)\s*(?:@\s*(\d{4}-\d{2}-\d{2})\s*)?$/.exec(part);
    return match && isDay(match[2]) ? { country: isoOf(match[1] ?? ''), from: match[2] ?? '' } : null;
  });
  const known = entries.filter((entry) => entry !== null);
  const keys = new Set(known.map(({ country, from }) => `${country} ${from}`));
  return known.length === entries.length && keys.size === known.length ? known : null;
}

function isDay(text: string | undefined): boolean {
  if (text === undefined) return true;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

export const taxRates = z
  .string()
  .max(2000, 'must be at most 2000 characters')
  .refine(
    (text) => rateEntries(text) !== null,
    'must look like DE=19,FR=20,CH=8.1 or, from a day on, EE=24@2025-07-01; each country once a day',
  );

export const country = z.string().regex(/^([A-Z]{2})?$/, 'must be a country code like DE');

export const vatNumbers = z
  .string()
  .max(500, 'must be at most 500 characters')
  .regex(
    /^\s*(?:[A-Z]{2}[A-Z0-9+*]{2,13}\s*(?:,\s*[A-Z]{2}[A-Z0-9+*]{2,13}\s*)*)?$/,
    'must be VAT numbers like FR40303265045, separated by commas',
  );

export function isMemberState(code: string): boolean {
  return memberStates.includes(isoOf(code));
}

/** By the prefix of the number. */
export function isNumberOf(vatNumber: string, code: string): boolean {
  return isoOf(vatNumber.trim().slice(0, 2).toUpperCase()) === isoOf(code);
}

interface RateSettings {
  readonly taxRates: string;
  readonly sellerCountry: string;
  readonly sellerVatNumbers: string;
  readonly oss: boolean;
}

/** Member states that are taxed at their own rates, other than `sellerCountry`, and have none that needs no date. */
export function statesWithoutRate({ taxRates: text, sellerCountry, sellerVatNumbers, oss }: RateSettings): string[] {
  const known = new Set((rateEntries(text) ?? []).filter(({ from }) => from === '').map((entry) => entry.country));
  const isTaxedThere = (state: string) =>
    oss || sellerVatNumbers.split(',').some((number) => isNumberOf(number, state));
  return memberStates.filter((state) => state !== isoOf(sellerCountry) && isTaxedThere(state) && !known.has(state));
}
