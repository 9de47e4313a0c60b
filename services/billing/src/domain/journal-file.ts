import { dayIn } from './calendar.js';
import { currencyDigits, decimalAmount } from './currency.js';
import type { JournalEntry } from './journal.js';

export type JournalFormat = 'csv' | 'ndjson';

const columns = ['date', 'entry', 'kind', 'document', 'user', 'account', 'debit', 'credit', 'currency'];
export const journalHead: Readonly<Record<JournalFormat, string>> = { csv: rowOf(columns), ndjson: '' };

/** With line ends. CSV: a row an account, amounts as decimals, days in `timezone`. */
export function journalText(entry: JournalEntry, format: JournalFormat, timezone: string): string {
  return format === 'csv' ? csvOf(entry, timezone) : `${JSON.stringify(objectOf(entry))}\n`;
}

function csvOf({ id, at, kind, text, userId, currency, lines }: JournalEntry, timezone: string): string {
  const digits = currencyDigits(currency);
  const rows = lines.map(({ account, amountMinor }) => {
    const amount = decimalAmount(Math.abs(amountMinor), digits);
    const sides = amountMinor > 0 ? [amount, ''] : ['', amount];
    return rowOf([dayIn(at, timezone), id, kind, text, userId, account, ...sides, currency]);
  });
  return rows.join('');
}

/** RFC 4180. Notes are of staff: a formula gets an apostrophe. */
function rowOf(cells: readonly string[]): string {
  const safe = cells.map((cell) => {
    const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
    return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${safe.join(',')}\r\n`;
}

function objectOf({ id, at, kind, text, userId, currency, documentId, lines }: JournalEntry) {
  return {
    id,
    at,
    kind,
    text,
    user_id: userId,
    document_id: documentId,
    currency,
    lines: lines.map(({ account, amountMinor }) => ({ account, amount: amountMinor })),
  };
}
