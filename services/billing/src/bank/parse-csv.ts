import { fieldProblem, invalidFields } from '@panel/kit/errors';
import { parse } from 'csv-parse/sync';
import type { StatementPayment } from '../domain/bank-statement.js';
import { currencyDigits } from '../domain/currency.js';
import { withIds } from './payment-ids.js';
import { parseStatementAmount, parseStatementDate } from './statement-amount.js';

/** Names of columns; empty: by the known ones. */
export interface StatementColumns {
  readonly date: string;
  readonly amount: string;
  readonly text: string;
  readonly currency: string;
  readonly payer: string;
}
type Column = keyof StatementColumns;

/** Lower case, without marks and units. The first that a file has. */
const knownNames: Readonly<Record<Column, readonly string[]>> = {
  date: ['buchungstag', 'buchungsdatum', 'buchung', 'booking date', 'date', 'datum', 'wertstellung', 'valutadatum'],
  amount: ['betrag', 'umsatz', 'amount', 'credit', 'haben'],
  text: ['verwendungszweck', 'payment reference', 'remittance information', 'purpose', 'reference', 'description'],
  currency: ['währung', 'waehrung', 'currency', 'devise'],
  payer: [
    'beguenstigter/zahlungspflichtiger',
    'name zahlungsbeteiligter',
    'zahlungspflichtiger',
    'auftraggeber/empfänger',
    'auftraggeber',
    'payer',
    'payer name',
    'counterparty',
    'name',
  ],
};
const needed: readonly Column[] = ['date', 'amount', 'text'];
const delimiters = [';', ',', '\t'];

/** Incoming payments of a CSV file; lines before its header are skipped. Throws INVALID_FIELDS with `columns`, `content`. */
export function parseCsvStatement(
  content: string,
  columns: StatementColumns | null,
  shopCurrency: string,
): StatementPayment[] {
  const found = findHeader(content, columns);
  if (!found) {
    const message = `a date, an amount and a text are needed: name the columns, of ${firstLine(content)}`;
    throw invalidFields({ columns: [fieldProblem('required', message)] });
  }
  const { rows, at, header } = found;
  const payments: Omit<StatementPayment, 'id'>[] = [];
  for (const [index, row] of rows.slice(at + 1).entries()) {
    const cell = (column: Column) => row[header[column] ?? -1]?.trim() ?? '';
    if (cell('amount') === '') continue;
    const currency = cell('currency').toUpperCase() || shopCurrency;
    const amountMinor = parseStatementAmount(cell('amount'), currencyDigits(currency));
    const date = parseStatementDate(cell('date'));
    if (amountMinor === null || date === null) {
      const message = `line ${at + index + 2} has no readable ${date === null ? 'date' : 'amount'}`;
      throw invalidFields({ content: [fieldProblem('invalid', message)] });
    }
    if (amountMinor <= 0) continue;
    payments.push({ date, amount: { amountMinor, currency }, payer: cell('payer'), text: oneLine(cell('text')) });
  }
  return withIds(payments);
}

function findHeader(content: string, columns: StatementColumns | null) {
  for (const delimiter of delimiters) {
    const rows = rowsOf(content, delimiter);
    for (const [at, row] of rows.entries()) {
      const header = headerOf(row.map(plain), columns);
      if (header) return { rows, at, header };
    }
  }
  return null;
}

/** Index by column; null: a needed one is not there. */
function headerOf(names: readonly string[], columns: StatementColumns | null): Partial<Record<Column, number>> | null {
  const header: Partial<Record<Column, number>> = {};
  for (const column of Object.keys(knownNames) as Column[]) {
    const wanted = columns?.[column] ? [plain(columns[column])] : knownNames[column];
    const index = wanted.map((name) => names.indexOf(name)).find((one) => one >= 0);
    if (index !== undefined) header[column] = index;
  }
  return needed.every((column) => header[column] !== undefined) ? header : null;
}

function rowsOf(content: string, delimiter: string): string[][] {
  try {
    const options = { bom: true, delimiter, relaxColumnCount: true, relaxQuotes: true, skipEmptyLines: false };
    return parse(content, options);
  } catch {
    // Another delimiter may fit.
    return [];
  }
}

/** "Betrag (€)" is "betrag". */
function plain(name: string): string {
  return name
    .replace(/\(.*?\)|[*€$£"]/g, '')
    .trim()
    .toLowerCase();
}

function firstLine(content: string): string {
  return (content.split(/\r?\n/, 1)[0] ?? '').slice(0, 200);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
