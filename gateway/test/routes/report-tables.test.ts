import { Invoice, Money, Payment, RecognizedRevenueRow } from '@panel/protos/billing';
import { expect } from 'chai';
import { RawReply } from '../../src/http/raw-reply.js';
import { openInvoice, recognized, reportReply } from '../../src/routes/admin-billing/report-tables.js';

const euros = (amountMinor: number) => Money.create({ amountMinor, currency: 'EUR' });
const yen = (amountMinor: number) => Money.create({ amountMinor, currency: 'JPY', digits: 0 });
const dinars = (amountMinor: number) => Money.create({ amountMinor, currency: 'KWD', digits: 3 });

function tableOf(reply: unknown): string[] {
  if (!(reply instanceof RawReply) || typeof reply.body !== 'string') throw new TypeError('no file');
  return reply.body.trimEnd().split('\r\n');
}

describe('the tables of reports', () => {
  const row = { month: '2026-01', productId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', productName: 'Small' };
  const rows = [
    { ...row, recognized: euros(499), deferred: euros(0) },
    { ...row, recognized: euros(-1_250), deferred: undefined },
    { ...row, recognized: yen(500), deferred: yen(-5) },
    { ...row, recognized: dinars(1), deferred: dinars(12_345) },
  ].map((each) => RecognizedRevenueRow.create(each));

  it('write amounts as decimals of their currency, also below zero', () => {
    const table = tableOf(reportReply('recognized-revenue', recognized, rows, 'csv'));
    expect(table[0]).to.equal('month,product_id,product_name,recognized,deferred,currency');
    expect(table.slice(1).map((line) => line.split(',').slice(3).join(' '))).to.deep.equal([
      '4.99 0.00 EUR',
      '-12.50 0.00 EUR',
      '500 -5 JPY',
      '0.001 12.345 KWD',
    ]);
  });

  it('leave amounts of JSON in minor units', () => {
    const answer = reportReply('recognized-revenue', recognized, rows, 'json') as {
      rows: readonly { recognized: number; deferred: number; currency: string }[];
    };
    expect(answer.rows.map((each) => [each.recognized, each.deferred, each.currency])).to.deep.equal([
      [499, 0, 'EUR'],
      [-1_250, 0, 'EUR'],
      [500, -5, 'JPY'],
      [1, 12_345, 'KWD'],
    ]);
  });

  it('take payments from what is open', () => {
    const payments = [yen(200), yen(-50)].map((amount) => Payment.create({ amount }));
    const invoice = Invoice.create({ total: yen(500), payments, dueTime: new Date(0) });
    const [, line = ''] = tableOf(reportReply('open-invoices', openInvoice, [invoice], 'csv'));
    expect(line.endsWith(',350,JPY')).to.equal(true);
  });
});
