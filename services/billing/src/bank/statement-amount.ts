import { parseDecimalAmount } from '../domain/currency.js';

/** "1.234,56", "1,234.56", "+12,00 €": in minor units. Null: no amount, or more digits than the currency has. */
export function parseStatementAmount(text: string, digits: number): number | null {
  const bare = text.replace(/[\s\u00a0'+]/g, '').replace(/\p{Sc}|[A-Z]{3}$/gu, '');
  const last = Math.max(bare.lastIndexOf(','), bare.lastIndexOf('.'));
  if (last < 0) return parseDecimalAmount(bare, digits);
  const hasBoth = bare.includes(',') && bare.includes('.');
  const isRepeated = bare.indexOf(bare.charAt(last)) !== last;
  const after = bare.length - last - 1;
  const isDecimal = hasBoth ? digits > 0 : !isRepeated && digits > 0 && (after !== 3 || digits === 3);
  const grouped = isDecimal ? bare.slice(0, last) : bare;
  if (!/^-?(\d+|\d{1,3}(,\d{3})+|\d{1,3}(\.\d{3})+)$/.test(grouped)) return null;
  const whole = grouped.replace(/[.,]/g, '');
  return parseDecimalAmount(isDecimal ? `${whole}.${bare.slice(last + 1)}` : whole, digits);
}

/** "2026-01-31" of that, "31.01.2026", "31.01.26" or "31/01/2026", with or without a time. Null: none of them. */
export function parseStatementDate(text: string): string | null {
  const iso = /^(\d{4})-(\d\d)-(\d\d)/.exec(text.trim());
  const local = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d\d)\b/.exec(text.trim());
  const parts = iso ? [iso[1], iso[2], iso[3]] : local ? [fullYear(local[3] ?? ''), local[2], local[1]] : null;
  if (!parts) return null;
  const [year, month, day] = parts.map(Number);
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  const isReal = date.getUTCMonth() === (month ?? 0) - 1 && date.getUTCDate() === day;
  return isReal ? date.toISOString().slice(0, 10) : null;
}

function fullYear(year: string): string {
  return year.length === 2 ? `20${year}` : year;
}
