import { asAttachment } from '@panel/kit/http';
import { csvCell } from '@panel/kit/text';
import { RawReply } from '../../http/raw-reply.js';

/** A number to a spreadsheet, below zero too. */
interface Decimal {
  readonly decimal: string;
}
export type Cell = string | number | boolean | null | Decimal;

/** RFC 4180, with a line of the columns. */
export function csvOf(rows: readonly Readonly<Record<string, Cell>>[], columns: readonly string[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))];
  return lines.map((line) => line.map(cellText).join(',')).join('\r\n') + '\r\n';
}

function cellText(value: Cell): string {
  if (typeof value === 'object' && value !== null) return value.decimal;
  return typeof value === 'string' ? csvCell(value) : String(value);
}

export function csvReply(name: string, csv: string): RawReply {
  return new RawReply('text/csv', csv, { headers: { 'Content-Disposition': asAttachment(`${name}.csv`) } });
}
