import { asAttachment } from '@panel/kit/http';
import { RawReply } from '../../http/raw-reply.js';

/** A number to a spreadsheet, below zero too. */
interface Decimal {
  readonly decimal: string;
}
export type Cell = string | number | boolean | null | Decimal;

/** RFC 4180. Spreadsheet formulas get an apostrophe: customers choose names. */
export function csvOf(rows: readonly Readonly<Record<string, Cell>>[], columns: readonly string[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))];
  return lines.map((line) => line.map(csvCell).join(',')).join('\r\n') + '\r\n';
}

function csvCell(value: Cell): string {
  if (typeof value === 'object' && value !== null) return value.decimal;
  if (typeof value !== 'string') return String(value);
  // Where the semicolon separates cells, one begins in the middle of a text.
  const text = value.replaceAll(/(^|[;,\t\r\n]\s*)(?=[=+\-@\t\r])/g, "$1'");
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvReply(name: string, csv: string): RawReply {
  return new RawReply('text/csv', csv, { headers: { 'Content-Disposition': asAttachment(`${name}.csv`) } });
}
