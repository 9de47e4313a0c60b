import { expect } from 'chai';
import fc from 'fast-check';
import { creditNoteOf } from '../../src/domain/credit-note.js';
import type { InvoiceRecord, InvoiceRefund } from '../../src/domain/invoice.js';
import { invoiceOf, refundOf } from './sold-invoice.js';

/** One after another. */
function notesOf(invoice: InvoiceRecord, refunds: readonly InvoiceRefund[]): InvoiceRecord[] {
  return refunds.map((refund, index) => creditNoteOf({ ...invoice, refunds: refunds.slice(0, index + 1) }, refund));
}

const sumOf = (notes: readonly InvoiceRecord[], field: 'netMinor' | 'taxMinor' | 'totalMinor') =>
  notes.flatMap(({ items }) => items).reduce((sum, item) => sum + item[field], 0);

describe('a credit note', () => {
  it('ends at exactly the net and tax of its invoice, 8.1 percent in thirds', () => {
    const invoice = invoiceOf([1000], 810, false);
    expect(invoice).to.include({ taxMinor: 81, totalMinor: 1081 });
    const notes = notesOf(invoice, [refundOf('a', 360), refundOf('b', 360), refundOf('c', 361)]);
    expect(notes.map(({ taxMinor, totalMinor }) => [taxMinor, totalMinor])).to.deep.equal([
      [-27, -360],
      [-27, -360],
      [-27, -361],
    ]);
  });

  it('keeps the language of its invoice', () => {
    const invoice = invoiceOf([1000], 1900, false);
    expect(invoice.language).to.equal('de');
    expect(notesOf(invoice, [refundOf('a', 100)])[0]?.language).to.equal('de');
  });

  it('keeps the rate, the treatment and the seller of its invoice', () => {
    const invoice = invoiceOf([1000, 500], 1900, false);
    const [note] = notesOf(invoice, [refundOf('a', 100)]);
    expect(note).to.deep.include({ taxRateBasisPoints: 1900, tax: invoice.tax, seller: invoice.seller });
    expect(note).to.include({ correctsInvoiceId: 'i', kind: 'credit_note' });
  });

  it('writes prices with tax where the invoice does', () => {
    const [inclusive, exclusive] = [true, false].flatMap((isInclusive) =>
      notesOf(invoiceOf([isInclusive ? 1190 : 1000], 1900, isInclusive), [refundOf('a', 1190)]),
    );
    expect(inclusive).to.include({ subtotalMinor: -1190, taxMinor: -190, totalMinor: -1190 });
    expect(exclusive).to.include({ subtotalMinor: -1000, taxMinor: -190, totalMinor: -1190 });
  });

  it('takes what a line cannot give any more from the others', () => {
    const invoice = invoiceOf([1000, 1000], 0, false);
    const notes = notesOf(invoice, [refundOf('a', 1500), refundOf('b', 500, 0)]);
    expect(notes[1]?.items.map(({ totalMinor }) => totalMinor)).to.deep.equal([-250, -250]);
  });

  it('splits net and tax of any invoice exactly, in any parts of any lines, and never past a line', () => {
    const prices = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 4 });
    const cuts = fc.array(fc.record({ weight: fc.integer({ min: 1, max: 9 }), line: fc.option(fc.nat(3)) }), {
      minLength: 1,
      maxLength: 6,
    });
    const rates = fc.constantFrom(0, 700, 810, 1900, 2550, 10_000);
    fc.assert(
      fc.property(prices, cuts, rates, fc.boolean(), (list, parts, rate, isInclusive) => {
        const invoice = invoiceOf(list, rate, isInclusive);
        const whole = parts.reduce((sum, { weight }) => sum + weight, 0);
        let open = invoice.totalMinor;
        const refunds = parts.flatMap(({ weight, line }, index) => {
          const isLast = index === parts.length - 1;
          const amount = isLast ? open : Math.min(open, Math.floor((invoice.totalMinor * weight) / whole));
          open -= amount;
          const own = line !== null && line < list.length ? line : undefined;
          return amount > 0 ? [refundOf(String(index), amount, own)] : [];
        });
        const notes = notesOf(invoice, refunds);
        for (const note of notes) {
          expect(note.items.every(({ netMinor, taxMinor }) => netMinor <= 0 && taxMinor <= 0)).to.equal(true);
          expect(sumOf([note], 'totalMinor')).to.equal(note.totalMinor);
          expect(sumOf([note], 'netMinor') + sumOf([note], 'taxMinor')).to.equal(note.totalMinor);
        }
        const net = invoice.items.reduce((sum, { netMinor }) => sum + netMinor, 0);
        expect([-sumOf(notes, 'netMinor'), -sumOf(notes, 'taxMinor')]).to.deep.equal(
          [net, invoice.taxMinor].map((minor) => minor || -0),
        );
      }),
      { numRuns: 500 },
    );
  });
});
