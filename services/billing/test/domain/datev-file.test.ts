import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { datevSettings } from '../../src/domain/datev-accounts.js';
import type { JournalEntry, JournalKind } from '../../src/domain/journal.js';
import { accounts, balanced } from '../../src/domain/journal.js';
import { journalFile } from '../../src/domain/journal-file.js';

const golden = new URL('../../../test/domain/datev-golden.csv', import.meta.url);
const chart = [
  'cash=1360,cash:manual=1200,receivable=1410,sales=8200,tax=1770,tax:DE:1900=1776,credits=1700,debt=1500',
  'usage=1710,disputed=1590,promotion=8700,written_off=2400',
].join(',');
const settings = { consultant: 29_098, client: 55_003, fiscalMonth: 7, accountDigits: 5, accounts: chart };
const at = new Date('2026-05-10T22:30:00Z');
const lot = (name: string) => accounts.credits(name);

function entryOf(
  kind: JournalKind,
  id: string,
  text: string,
  lines: Readonly<Record<string, number>>,
  currency = 'EUR',
): JournalEntry {
  const found = balanced(
    { id, kind, at, userId: 'u', currency, documentId: 'd4c1f0b2-6f0e-4c55-9a43-0c2b7e6f1a99', text },
    Object.entries(lines),
  );
  if (!found) throw new Error('nothing moves');
  return found;
}

function fileOf(entries: readonly JournalEntry[], changes: Partial<typeof settings> = {}): Buffer {
  const file = journalFile('datev', {
    month: '2026-05',
    end: new Date('2026-05-31T22:00:00Z'),
    timezone: 'Europe/Berlin',
    datev: datevSettings({ ...settings, ...changes }),
    now: new Date('2026-06-02T08:09:10.123Z'),
  });
  if (!file) throw new Error('there is no file');
  return Buffer.concat([file.encode(file.head), ...entries.map((entry) => file.encode(file.textOf(entry)))]);
}

/** Of rows: cells without their quotes. */
function rowsOf(file: Buffer): string[][] {
  const lines = new TextDecoder('windows-1252').decode(file).split('\r\n').slice(2, -1);
  return lines.map((line) =>
    [...`${line};`.matchAll(/("(?:[^"]|"")*"|[^";]*);/g)].map(([, cell = '']) =>
      cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
    ),
  );
}

const everyKind: readonly JournalEntry[] = [
  entryOf('issue', 'issue:1', 'INV-1', { 'receivable:1': 1_190, 'sales:1': -1_000, 'tax:DE:1900': -190 }),
  entryOf('issue', 'issue:2', 'INV-2', { 'receivable:2': 1_200, 'sales:2': -1_000, 'tax:AT:2000': -200 }),
  entryOf('issue', 'issue:3', 'CN_1', { 'receivable:1': -595, 'sales:1': 500, 'tax:DE:1900': 95 }),
  entryOf('payment', 'payment:1:a', 'INV-1', { 'cash:stripe': 1_190, 'receivable:1': -1_190 }),
  entryOf('payment', 'payment:2:b', 'INV-2', { 'cash:manual': 1_200, 'receivable:2': -1_200 }),
  entryOf('refund', 'refund:1:c', 'INV-1', { 'receivable:1': 595, 'cash:stripe': -595 }),
  entryOf('dispute', 'dispute:2:d', 'INV-2', { 'disputed:2': 1_200, 'cash:stripe': -1_200 }),
  entryOf('credits', 'credits:1', 'Willkommen, "Zoë" – 5 €', { promotion: 500, [lot('a')]: -500 }),
  entryOf('credits', 'credits:2', '', { [lot('a')]: 300, [lot('b')]: 50, [accounts.debt('u')]: 150, 'usage:s': -500 }),
  entryOf('credits', 'credits:3', 'abgelaufen', { [lot('a')]: 5, written_off: -5 }),
  entryOf('credits', 'credits:4', '', { [lot('a')]: 100, 'receivable:3': -60, 'usage:s': -40 }),
  entryOf('payment', 'payment:4:e', 'INV-4', { 'cash:stripe': 500, 'receivable:4': -500 }, 'JPY'),
];

describe('the journal for DATEV', () => {
  it('writes each kind of entry as the stored file has it, byte for byte', () => {
    const file = fileOf(everyKind);
    expect(file.equals(readFileSync(golden)), file.toString('latin1')).to.equal(true);
  });

  it('begins with a header of 31 fields and 125 columns, which each row has', () => {
    const [header = '', columns = '', ...rows] = fileOf(everyKind).toString('latin1').split('\r\n');
    expect(header).to.equal(
      '"EXTF";700;21;"Buchungsstapel";13;20260602080910123;;"";"";"";29098;55003;20250701;5;20260501;20260531;' +
        '"Journal 2026-05";"";1;0;0;"EUR";;"";;;"";;;"";""',
    );
    expect(header.split(';')).to.have.length(31);
    expect(columns.split(';')).to.have.length(125);
    expect(rows.pop(), 'the last line ends').to.equal('');
    for (const row of rowsOf(fileOf(everyKind))) expect(row).to.have.length(125);
  });

  it('begins the fiscal year in the year before until its month', () => {
    const begins = [1, 5, 6, 12].map((fiscalMonth) => fileOf([], { fiscalMonth }).toString('latin1').split(';')[12]);
    expect(begins).to.deep.equal(['20260101', '20260501', '20250601', '20251201']);
  });

  it('posts each account against the one that moves most, on the day of the time zone', () => {
    const [issue, tax] = rowsOf(fileOf([everyKind[0] as JournalEntry]));
    const shown = (row: readonly string[] = []) => [0, 1, 2, 6, 7, 9, 10, 13].map((column) => row[column]);
    expect(shown(issue)).to.deep.equal(['10,00', 'H', 'EUR', '82000', '14100', '1105', 'INV-1', 'Beleg INV-1']);
    expect(shown(tax)).to.deep.equal(['1,90', 'H', 'EUR', '17760', '14100', '1105', 'INV-1', 'Beleg INV-1']);
  });

  it('writes no row of what is one account there, or comes to nothing on it', () => {
    const within = entryOf('credits', 'e', '', { [lot('a')]: 5, [lot('b')]: -5 });
    const beside = entryOf('credits', 'f', '', { [lot('a')]: 5, [lot('b')]: -5, promotion: 3, written_off: -3 });
    expect(rowsOf(fileOf([within]))).to.deep.equal([]);
    expect(rowsOf(fileOf([beside])).map((row) => [row[0], row[6], row[7]])).to.deep.equal([['0,03', '24000', '87000']]);
  });

  it('takes no settings without the numbers of consultant and client', () => {
    expect(datevSettings({ ...settings, client: 0 })).to.equal(null);
    expect(datevSettings({ ...settings, consultant: 0 })).to.equal(null);
  });

  it('leaves out other currencies, which need a rate', () => {
    expect(rowsOf(fileOf([everyKind.at(-1) as JournalEntry]))).to.deep.equal([]);
  });

  it('replaces what Windows-1252 does not have, and keeps texts on a line and within their bounds', () => {
    const textOf = (text: string, kind: JournalKind = 'credits') => {
      const [row = []] = rowsOf(fileOf([entryOf(kind, 'e', text, { promotion: 5, [lot('a')]: -5 })]));
      return { text: row[13], document: row[10] };
    };
    expect(textOf('Ödön Őze 漢字 €„“').text).to.equal('Guthaben Ödön Oze ?? €„“');
    expect(textOf('a\r\nb\tc\u2028d\u0081e\u202e').text).to.equal('Guthaben a  b c d e?');
    expect(textOf('x'.repeat(200)).text).to.equal(`Guthaben ${'x'.repeat(51)}`);
    expect(textOf('"quoted";"more"').text).to.equal('Guthaben "quoted";"more"');
    expect(textOf('A_b/2026 ü;1', 'payment').document).to.equal('A-b/2026---1');
    expect(textOf('N'.repeat(50), 'payment').document).to.equal('N'.repeat(36));
    expect(textOf('note').document, 'the entry').to.equal('d4c1f0b2-6f0e-4c55-9a43-0c2b7e6f1a99');
  });

  it('begins no cell with what a spreadsheet takes for a formula', () => {
    const text = fc.string({ unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '"', ';', ' ', 'a', '1', '|') });
    fc.assert(
      fc.property(text, fc.constantFrom<JournalKind>('issue', 'credits'), (note, kind) => {
        const entry = { ...entryOf(kind, note || 'e', note, { promotion: 5, [lot('a')]: -5 }), documentId: note };
        const [row = []] = rowsOf(fileOf([entry]));
        expect(row).to.have.length(125);
        for (const cell of row) expect(cell).to.not.match(/^\s*[=+\-@\t\r]/);
      }),
    );
  });

  it('gives each account the sum that the journal has', () => {
    const names = ['cash:stripe', 'cash:manual', 'receivable:1', 'sales:1', 'tax:DE:1900', 'tax:AT:2000', 'tax::0'];
    const others = ['credits:a', 'credits:b', 'debt:u', 'usage:s', 'disputed:1', 'promotion'];
    const amount = fc.integer({ min: -100_000_000_000, max: 100_000_000_000 });
    const lines = fc.dictionary(fc.constantFrom(...names, ...others), amount, { minKeys: 1, maxKeys: 6 });
    const byName = datevSettings(settings)?.accounts ?? new Map<string, string>();
    const numberOf = (name: string) => byName.get(name) ?? byName.get(name.split(':')[0] ?? '') ?? '';
    fc.assert(
      fc.property(fc.array(lines, { maxLength: 5 }), (all) => {
        const entries = all.flatMap((moved, index) => {
          const sum = Object.values(moved).reduce((total, each) => total + each, 0);
          const base = {
            id: `e${index}`,
            kind: 'credits',
            at,
            userId: 'u',
            currency: 'EUR',
            documentId: 'd',
            text: '',
          } as const;
          return balanced(base, [...Object.entries(moved), ['written_off', -sum]]) ?? [];
        });
        const expected = new Map<string, number>();
        const add = (sums: Map<string, number>, account: string, minor: number) =>
          sums.set(account, (sums.get(account) ?? 0) + minor);
        for (const { account, amountMinor } of entries.flatMap((entry) => entry.lines))
          add(expected, numberOf(account), amountMinor);
        const found = new Map<string, number>();
        for (const row of rowsOf(fileOf(entries))) {
          expect(row[0]).to.match(/^\d{1,10},\d\d$/);
          const minor = Number(row[0]?.replace(',', '')) * (row[1] === 'S' ? 1 : -1);
          add(found, row[6] ?? '', minor);
          add(found, row[7] ?? '', -minor);
        }
        const moved = (sums: Map<string, number>) => Object.fromEntries([...sums].filter(([, sum]) => sum !== 0));
        expect(moved(found)).to.deep.equal(moved(expected));
      }),
    );
  });
});
