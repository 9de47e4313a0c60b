import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { parseCamtStatement } from '../../src/bank/parse-camt.js';
import { parseCsvStatement } from '../../src/bank/parse-csv.js';
import { parseStatementAmount, parseStatementDate } from '../../src/bank/statement-amount.js';
import { numbersIn, type StatementPayment } from '../../src/domain/bank-statement.js';
import { camtEntry, camtOf } from './camt.js';

const shown = (payments: readonly StatementPayment[]) =>
  payments.map(({ date, amount, payer, text }) => [date, amount.amountMinor, amount.currency, payer, text]);
/** Of a refusal; null: none. */
const problemOf = (work: () => unknown): string | null => {
  try {
    work();
    return null;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return JSON.stringify(error.metadata);
  }
};

describe('amounts and dates of bank statements', () => {
  const amounts: readonly (readonly [string, number, number | null])[] = [
    ['1.234,56', 2, 123_456],
    ['1,234.56', 2, 123_456],
    ['1234.5', 2, 123_450],
    ['12,00 €', 2, 1_200],
    ['+12,00', 2, 1_200],
    ['12,00 EUR', 2, 1_200],
    ['-5,00', 2, -500],
    ['1.234', 2, 123_400],
    ['1.234.567', 2, 123_456_700],
    ["1'234.50", 2, 123_450],
    ['1 234,50', 2, 123_450],
    ['500', 0, 500],
    ['1,500', 0, 1_500],
    ['1.234', 3, 1_234],
    ['1,2345', 2, null],
    ['twelve', 2, null],
    ['', 2, null],
    ['1,2,3.4.5', 2, null],
  ];
  for (const [text, digits, wanted] of amounts)
    it(`reads "${text}" with ${digits} digits as ${wanted}`, () => {
      expect(parseStatementAmount(text, digits)).to.equal(wanted);
    });

  const dates: readonly (readonly [string, string | null])[] = [
    ['2026-01-31', '2026-01-31'],
    ['2026-01-31T23:59:59+01:00', '2026-01-31'],
    ['31.01.2026', '2026-01-31'],
    ['31.01.26', '2026-01-31'],
    ['31/01/2026', '2026-01-31'],
    ['30.02.2026', null],
    ['yesterday', null],
  ];
  for (const [text, wanted] of dates)
    it(`reads "${text}" as ${wanted}`, () => {
      expect(parseStatementDate(text)).to.equal(wanted);
    });
});

describe('invoice numbers in a text', () => {
  it('finds them as words, in another case, broken by spaces, and beside other digits', () => {
    expect(numbersIn('Rechnung INV-000123 vom 31.01.', 'INV-')).to.include('INV-000123');
    expect(numbersIn('inv-000123', 'INV-')).to.include('INV-000123');
    expect(numbersIn('thanks for Inv- 000 123', 'Inv-')).to.include('Inv-000123');
    expect(numbersIn('INV-0001 23 2026', 'INV-')).to.include('INV-000123');
    expect(numbersIn('INV-000123/INV-000124', 'INV-')).to.include.members(['INV-000123', 'INV-000124']);
    expect(numbersIn('INV-000123/INV-000124, 2025-000007', 'INV-')).to.include('2025-000007');
  });

  it('finds a bounded number in any text', () => {
    const text = Array.from({ length: 10_000 }, (_, index) => `INV-${String(index).padStart(6, '0')}`).join(' ');
    expect(numbersIn(text, 'INV-').length).to.be.at.most(50);
    expect(numbersIn('', 'INV-')).to.deep.equal([]);
    expect(numbersIn('000123', '')).to.deep.equal(['000123']);
  });
});

describe('a bank statement as CSV', () => {
  it('reads the names that banks use, after lines before the header', () => {
    const german = [
      '"Konto:";"DE02 1203 0000 0000 2020 51"',
      '',
      '"Buchungstag";"Beguenstigter/Zahlungspflichtiger";"Verwendungszweck";"Betrag (€)"',
      '"31.01.2026";"Ada Lovelace";"INV-000001  danke";"1.004,99"',
      '"31.01.2026";"Miete";"Februar";"-800,00"',
      '"";"";"";""',
    ].join('\r\n');
    expect(shown(parseCsvStatement(german, null, 'EUR'))).to.deep.equal([
      ['2026-01-31', 100_499, 'EUR', 'Ada Lovelace', 'INV-000001 danke'],
    ]);
    const english = 'Date,Description,Amount,Currency\n2026-01-31,"INV-000002, thanks",4.99,usd\n';
    expect(shown(parseCsvStatement(english, null, 'EUR'))).to.deep.equal([
      ['2026-01-31', 499, 'USD', '', 'INV-000002, thanks'],
    ]);
  });

  it('reads the names of a request', () => {
    const own = 'Jour;Somme;Motif\n31.01.2026;4,99;INV-000001\n';
    const columns = { date: 'jour', amount: 'Somme', text: 'Motif', currency: '', payer: '' };
    expect(problemOf(() => parseCsvStatement(own, null, 'EUR'))).to.include('columns');
    expect(shown(parseCsvStatement(own, columns, 'EUR'))).to.deep.equal([['2026-01-31', 499, 'EUR', '', 'INV-000001']]);
  });

  it('refuses a file and names the line that cannot be read', () => {
    expect(
      problemOf(() => parseCsvStatement('Date,Description,Amount\n2026-01-31,x,4.99\n31st,y,1\n', null, 'EUR')),
    ).to.match(/line 3 has no readable date/);
    expect(problemOf(() => parseCsvStatement('Date,Description,Amount\n2026-01-31,x,a lot\n', null, 'EUR'))).to.match(
      /line 2 has no readable amount/,
    );
    for (const text of ['', '\0\0', '"unclosed', 'a'.repeat(10_000)])
      expect(problemOf(() => parseCsvStatement(text, null, 'EUR'))).to.be.a('string');
  });

  it('gives equal payments of a day ids of their own, the same in every file', () => {
    const line = '2026-01-31,INV-000001,4.99\n';
    const first = parseCsvStatement(`Date,Description,Amount\n${line}${line}`, null, 'EUR');
    const again = parseCsvStatement(`Date,Description,Amount\n2026-01-30,x,1\n${line}${line}`, null, 'EUR');
    expect(new Set(first.map(({ id }) => id)).size).to.equal(2);
    expect(again.slice(1).map(({ id }) => id)).to.deep.equal(first.map(({ id }) => id));
  });
});

describe('a bank statement as camt', () => {
  it('reads booked incoming payments only, of version 2 and of version 8', () => {
    const content = camtOf([
      camtEntry({ amount: '4.99', text: 'INV-000001', payer: 'Ada', reference: 'A1' }),
      camtEntry({ amount: '5.99', text: 'rent', direction: 'DBIT' }),
      camtEntry({ amount: '6.99', text: 'later', status: 'PDNG' }),
      camtEntry({ amount: '7.99', text: 'back again', isReversal: true }),
      camtEntry({
        amount: '8.99',
        text: 'INV-000002 &amp; more',
        status: '<Cd>BOOK</Cd>',
        payer: '<Pty><Nm>Bob</Nm></Pty>',
      }),
    ]);
    expect(shown(parseCamtStatement(content))).to.deep.equal([
      ['2026-01-31', 499, 'EUR', 'Ada', 'INV-000001'],
      ['2026-01-31', 899, 'EUR', 'Bob', 'INV-000002 & more'],
    ]);
  });

  it('divides a collective entry into its payments', () => {
    const transactions = [1, 2].map(
      (index) => `<TxDtls><Amt Ccy="EUR">${index}.00</Amt><RmtInf><Ustrd>INV-00000${index}</Ustrd></RmtInf></TxDtls>`,
    );
    const content = camtOf([camtEntry({ amount: '3.00', text: '', reference: 'A1', details: transactions.join('') })]);
    const payments = parseCamtStatement(content);
    expect(payments.map(({ amount, text }) => [amount.amountMinor, text])).to.deep.equal([
      [100, 'INV-000001'],
      [200, 'INV-000002'],
    ]);
    expect(new Set(payments.map(({ id }) => id)).size).to.equal(2);
  });

  it('gives equal payments without a reference ids of their own', () => {
    const one = camtEntry({ amount: '4.99', text: 'INV-000001' });
    const payments = parseCamtStatement(camtOf([one, one]));
    expect(new Set(payments.map(({ id }) => id)).size).to.equal(2);
  });

  it('refuses another document, entities, and entries without an amount', () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]>${camtOf([])}`;
    const wrong = [
      '',
      'text',
      '<Document>',
      '<Document><Other/></Document>',
      bomb,
      camtOf([camtEntry({ amount: 'much', text: '' })]),
      camtOf([camtEntry({ amount: '4.999', text: '' })]),
    ];
    for (const content of wrong)
      expect(
        problemOf(() => parseCamtStatement(content)),
        content.slice(0, 40),
      ).to.include('content');
  });
});
