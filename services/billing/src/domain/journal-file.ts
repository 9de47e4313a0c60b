import { assertNever } from '@panel/kit/errors';
import { csvCell, decimalOf } from '@panel/kit/text';
import { dayIn } from './calendar.js';
import { currencyDigits } from './currency.js';
import type { DatevSettings } from './datev-accounts.js';
import { datevHead, datevRows } from './datev-file.js';
import type { JournalEntry } from './journal.js';
import { encodeWindows1252 } from './windows-1252.js';

export type JournalFormat = 'csv' | 'ndjson' | 'datev';

/** How a file is written: its name, its beginning, and the rows of an entry with line ends. */
export interface JournalFile {
  readonly fileName: string;
  readonly head: string;
  readonly textOf: (entry: JournalEntry) => string;
  readonly encode: (text: string) => Buffer;
}

interface JournalFileOptions {
  readonly month: string;
  /** Of the month. */
  readonly end: Date;
  readonly timezone: string;
  readonly datev: DatevSettings | null;
  readonly now: Date;
}

const columns = ['date', 'entry', 'kind', 'document', 'user', 'account', 'debit', 'credit', 'currency'];

/** CSV: a row an account, amounts as decimals, days in the time zone. Null: without the settings of DATEV. */
export function journalFile(format: JournalFormat, options: JournalFileOptions): JournalFile | null {
  const { month, end, timezone, datev, now } = options;
  const utf8 = (text: string) => Buffer.from(text);
  switch (format) {
    case 'csv':
      return {
        fileName: `journal-${month}.csv`,
        head: rowOf(columns),
        textOf: (entry) => csvOf(entry, timezone),
        encode: utf8,
      };
    case 'ndjson':
      return {
        fileName: `journal-${month}.ndjson`,
        head: '',
        textOf: (entry) => `${JSON.stringify(objectOf(entry))}\n`,
        encode: utf8,
      };
    case 'datev':
      return (
        datev && {
          fileName: `EXTF_Buchungsstapel_${month}.csv`,
          head: datevHead(datev, month, dayIn(new Date(end.getTime() - 1), timezone), now),
          textOf: (entry) => datevRows(entry, datev, timezone),
          encode: encodeWindows1252,
        }
      );
    default:
      return assertNever(format);
  }
}

function csvOf({ id, at, kind, text, userId, currency, lines }: JournalEntry, timezone: string): string {
  const digits = currencyDigits(currency);
  const rows = lines.map(({ account, amountMinor }) => {
    const amount = decimalOf(Math.abs(amountMinor), digits);
    const sides = amountMinor > 0 ? [amount, ''] : ['', amount];
    return rowOf([dayIn(at, timezone), id, kind, text, userId, account, ...sides, currency]);
  });
  return rows.join('');
}

function rowOf(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
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
