import { decimalOf } from '@panel/kit/text';
import { dayIn } from './calendar.js';
import { datevPostings, type DatevSettings } from './datev-accounts.js';
import type { JournalEntry, JournalKind } from './journal.js';
import { toWindows1252 } from './windows-1252.js';

/* Posting batch of the DATEV format (EXTF 700, category 21, version 13): developer.datev.de, "DATEV-Format". */

const textFields = new Set([1, 2, 10, 11, 13, 20, 21]);
const numbered = (count: number, names: (number: number) => readonly string[]) =>
  Array.from({ length: count }, (_, index) => names(index + 1)).flat();

const columns: readonly string[] = [
  'Umsatz (ohne Soll/Haben-Kz)',
  'Soll/Haben-Kennzeichen',
  'WKZ Umsatz',
  'Kurs',
  'Basis-Umsatz',
  'WKZ Basis-Umsatz',
  'Konto',
  'Gegenkonto (ohne BU-Schlüssel)',
  'BU-Schlüssel',
  'Belegdatum',
  'Belegfeld 1',
  'Belegfeld 2',
  'Skonto',
  'Buchungstext',
  'Postensperre',
  'Diverse Adressnummer',
  'Geschäftspartnerbank',
  'Sachverhalt',
  'Zinssperre',
  'Beleglink',
  ...numbered(8, (number) => [`Beleginfo - Art ${number}`, `Beleginfo - Inhalt ${number}`]),
  'KOST1 - Kostenstelle',
  'KOST2 - Kostenstelle',
  'Kost-Menge',
  'EU-Land u. UStID (Bestimmung)',
  'EU-Steuersatz (Bestimmung)',
  'Abw. Versteuerungsart',
  'Sachverhalt L+L',
  'Funktionsergänzung L+L',
  'BU 49 Hauptfunktionstyp',
  'BU 49 Hauptfunktionsnummer',
  'BU 49 Funktionsergänzung',
  ...numbered(20, (number) => [`Zusatzinformation - Art ${number}`, `Zusatzinformation- Inhalt ${number}`]),
  'Stück',
  'Gewicht',
  'Zahlweise',
  'Forderungsart',
  'Veranlagungsjahr',
  'Zugeordnete Fälligkeit',
  'Skontotyp',
  'Auftragsnummer',
  'Buchungstyp',
  'USt-Schlüssel (Anzahlungen)',
  'EU-Land (Anzahlungen)',
  'Sachverhalt L+L (Anzahlungen)',
  'EU-Steuersatz (Anzahlungen)',
  'Erlöskonto (Anzahlungen)',
  'Herkunft-Kz',
  'Buchungs GUID',
  'KOST-Datum',
  'SEPA-Mandatsreferenz',
  'Skontosperre',
  'Gesellschaftername',
  'Beteiligtennummer',
  'Identifikationsnummer',
  'Zeichnernummer',
  'Postensperre bis',
  'Bezeichnung SoBil-Sachverhalt',
  'Kennzeichen SoBil-Buchung',
  'Festschreibung',
  'Leistungsdatum',
  'Datum Zuord. Steuerperiode',
  'Fälligkeit',
  'Generalumkehr (GU)',
  'Steuersatz',
  'Land',
  'Abrechnungsreferenz',
  'BVV-Position',
  'EU-Land u. UStID (Ursprung)',
  'EU-Steuersatz (Ursprung)',
  'Abw. Skontokonto',
];
const lockedAt = columns.indexOf('Festschreibung');

/** The format asks for a rate with any other, which the journal does not have. */
const currency = 'EUR';

const words: Readonly<Record<JournalKind, string>> = {
  issue: 'Beleg',
  payment: 'Zahlung',
  refund: 'Erstattung',
  dispute: 'Rücklastschrift',
  credits: 'Guthaben',
};

/** Two lines. `month` like "2026-01", `lastDay` of it like "2026-01-31". */
export function datevHead(settings: DatevSettings, month: string, lastDay: string, createdAt: Date): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const fiscalYear = number < settings.fiscalMonth ? year - 1 : year;
  const none = quoted('');
  const created = createdAt.toISOString().replaceAll(/\D/g, '');
  const format = [quoted('EXTF'), 700, 21, quoted('Buchungsstapel'), 13, created, '', none, none, none];
  const begin = `${fiscalYear}${String(settings.fiscalMonth).padStart(2, '0')}01`;
  const books = [settings.consultant, settings.client, begin, settings.accountDigits];
  const days = [`${month.replace('-', '')}01`, lastDay.replaceAll('-', '')];
  // Of the books of finance, for no purpose alone, not locked.
  const kind = [quoted(`Journal ${month}`), none, 1, 0, 0, quoted(currency)];
  const header = [...format, ...books, ...days, ...kind, '', none, '', '', none, '', '', none, none];
  return lineOf(header) + lineOf(columns);
}

/** A row for each two accounts; none: another currency, or one account only. */
export function datevRows(entry: JournalEntry, settings: DatevSettings, timezone: string): string {
  if (entry.currency !== currency) return '';
  const [, month = '', day = ''] = dayIn(entry.at, timezone).split('-');
  const rows = datevPostings(settings, entry.lines).map(({ account, counterAccount, amountMinor }) => {
    const cells: string[] = columns.map((_, at) => (textFields.has(at) ? quoted('') : ''));
    cells[0] = decimalOf(Math.abs(amountMinor), 2).replace('.', ',');
    cells[1] = quoted(amountMinor > 0 ? 'S' : 'H');
    cells[2] = quoted(currency);
    cells[6] = account;
    cells[7] = counterAccount;
    cells[9] = `${day}${month}`;
    cells[10] = quoted(documentOf(entry));
    cells[13] = quoted(textOf(entry));
    cells[20] = quoted('Journal');
    cells[21] = quoted(plain(entry.id, 210));
    cells[lockedAt] = '0';
    return lineOf(cells);
  });
  return rows.join('');
}

/** Letters, digits and `$&%*+-/` are allowed. Entries of credits have notes instead of numbers. */
function documentOf({ kind, text, documentId }: JournalEntry): string {
  const number = kind === 'credits' ? documentId : text;
  return plain(number.replaceAll(/[^A-Za-z0-9$&%*+\-/]/g, '-'), 36);
}

function textOf({ kind, text }: JournalEntry): string {
  return plain(`${words[kind]} ${text}`, 60);
}

/** On one line, without what a spreadsheet takes for a formula. */
function plain(text: string, length: number): string {
  return toWindows1252(text)
    .replace(/^[\s=+\-@]+/, '')
    .slice(0, length)
    .trimEnd();
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function lineOf(cells: readonly (string | number)[]): string {
  return `${cells.join(';')}\r\n`;
}
