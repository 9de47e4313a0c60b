import { decimalOf } from '@panel/kit/text';

/** ISO 4217 currencies without two digits; tables of runtimes differ. */
const digitsByCurrency: ReadonlyMap<string, number> = new Map([
  ...['BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF'].map(
    (code) => [code, 0] as const,
  ),
  ...['XOF', 'XPF'].map((code) => [code, 0] as const),
  ...['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((code) => [code, 3] as const),
  ...['CLF', 'UYW'].map((code) => [code, 4] as const),
]);

/** ISO 4217 digits: 2 for EUR, 0 for JPY, 3 for KWD. */
export function currencyDigits(currency: string): number {
  return digitsByCurrency.get(currency) ?? 2;
}

/** Inverse of `decimalOf`. Null: no decimal, too many digits, or beyond 2^53. */
export function parseDecimalAmount(text: string, digits: number): number | null {
  const match = /^(-?)(\d{1,16})(?:\.(\d{1,8}))?$/.exec(text);
  if (!match) return null;
  const fraction = (match[3] ?? '').replace(/0+$/, '');
  if (fraction.length > digits) return null;
  const value = Number(`${match[1]}${match[2]}${fraction.padEnd(digits, '0')}`);
  return Number.isSafeInteger(value) ? value : null;
}

/** Null: the result is no safe integer. */
export function scaleByPowerOfTen(value: number, exponent: number): number | null {
  if (exponent < 0 && value % 10 ** -exponent !== 0) return null;
  const scaled = exponent < 0 ? value / 10 ** -exponent : value * 10 ** exponent;
  return Number.isSafeInteger(scaled) ? scaled : null;
}

/** By `locale`, with the currency's own digits. */
export function formatMoney(amountMinor: number, currency: string, locale = 'en'): string {
  const digits = currencyDigits(currency);
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  // A number would lose digits.
  return format.format(decimalOf(amountMinor, digits) as Intl.StringNumericLiteral);
}

/** `formatMoney` without the currency. */
export function formatAmount(amountMinor: number, currency: string, locale = 'en'): string {
  const digits = currencyDigits(currency);
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return format.format(decimalOf(amountMinor, digits) as Intl.StringNumericLiteral);
}
