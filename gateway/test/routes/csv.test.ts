import { expect } from 'chai';
import { csvOf } from '../../src/routes/admin-billing/csv.js';

describe('CSV report', () => {
  it('writes a CSV header, a line per row, and quotes where needed', () => {
    const rows = [
      { name: 'plain', amount: 5 },
      { name: 'with "quotes", commas\nand lines', amount: -5 },
      { name: null, amount: 0 },
    ];
    expect(csvOf(rows, ['name', 'amount'])).to.equal(
      'name,amount\r\nplain,5\r\n"with ""quotes"", commas\nand lines",-5\r\n,0\r\n',
    );
  });

  it('prevents formulas in names', () => {
    for (const name of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1']) {
      expect(csvOf([{ name }], ['name'])).to.match(/^name\r\n"?'/);
    }
  });

  it('leaves decimals numbers, and takes a text that looks like one for a text', () => {
    expect(csvOf([{ a: { decimal: '-4.90' }, b: '-4.90' }], ['a', 'b'])).to.equal("a,b\r\n-4.90,'-4.90\r\n");
  });

  it('prevents formulas in cells that another separator makes of a name', () => {
    for (const separator of [';', '; ', ',', '\t', '\n']) {
      const [, line = ''] = csvOf([{ name: `x${separator}=HYPERLINK(1)` }], ['name']).split(/\r\n(.*)/s);
      expect(line).to.not.match(/[;,\t\n]\s*=/);
    }
    expect(csvOf([{ name: 'a;b' }], ['name'])).to.equal('name\r\n"a;b"\r\n');
  });
});
