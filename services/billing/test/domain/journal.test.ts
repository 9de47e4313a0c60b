import { expect } from 'chai';
import type { CreditEntry } from '../../src/domain/credit.js';
import { cancellationOf, creditNoteOf } from '../../src/domain/credit-note.js';
import type { InvoiceRecord } from '../../src/domain/invoice.js';
import { balanced, type JournalEntry } from '../../src/domain/journal.js';
import { journalOfCredits } from '../../src/domain/journal-of-credits.js';
import { journalOfInvoice } from '../../src/domain/journal-of-invoice.js';
import { at, invoiceOf, refundOf } from './sold-invoice.js';

const linesOf = (entries: readonly (JournalEntry | null)[]) =>
  entries.map(
    (entry) => entry && [entry.id, Object.fromEntries(entry.lines.map((line) => [line.account, line.amountMinor]))],
  );
const issued = (changes: Partial<InvoiceRecord> = {}): InvoiceRecord => ({
  ...invoiceOf([1_000], 1_900, false),
  number: 'INV-1',
  ...changes,
});
const payment = (method: string, amountMinor: number) => ({ id: method, method, amountMinor, reference: 'r', at });

describe('the journal', () => {
  it('books what an invoice sells, its tax, and what is to be paid', () => {
    expect(linesOf(journalOfInvoice(issued()))).to.deep.equal([
      ['issue:i', { 'receivable:i': 1_190, 'sales:i': -1_000, 'tax::1900': -190 }],
    ]);
    expect(journalOfInvoice(issued({ number: '' })), 'not issued').to.deep.equal([]);
  });

  it('books the money of each payment but credits, which have entries of their own', () => {
    const invoice = issued({ payments: [payment('credits', 190), payment('stripe', 1_000)] });
    expect(linesOf(journalOfInvoice(invoice).slice(1))).to.deep.equal([
      ['payment:i:stripe', { 'cash:stripe': 1_000, 'receivable:i': -1_000 }],
    ]);
  });

  it('takes a credit note and a cancellation from what their invoice sold', () => {
    const invoice = issued({ refunds: [refundOf('a', 595)] });
    const [refund] = invoice.refunds;
    if (!refund) throw new Error('no refund');
    const note = { ...creditNoteOf(invoice, refund), number: 'CN-1' };
    const cancellation = { ...cancellationOf(issued(), at), id: 'c', number: 'CN-2' };
    expect(linesOf([note, cancellation].flatMap((one) => journalOfInvoice(one)))).to.deep.equal([
      ['issue:note a', { 'receivable:i': -595, 'sales:i': 500, 'tax::1900': 95 }],
      ['issue:c', { 'receivable:i': -1_190, 'sales:i': 1_000, 'tax::1900': 190 }],
    ]);
  });

  it('books of a refund what went back to the gateway, once it is done', () => {
    const payments = [payment('credits', 190), payment('stripe', 1_000)];
    const back = { ...refundOf('a', 1_100), destination: 'original' as const, reference: 're_1' };
    const done = { ...back, state: 'done' as const };
    const refundLines = (invoice: InvoiceRecord) =>
      linesOf(journalOfInvoice(invoice).filter(({ kind }) => kind === 'refund'));
    expect(refundLines(issued({ payments, refunds: [back] }))).to.deep.equal([]);
    expect(refundLines(issued({ payments, refunds: [done] }))).to.deep.equal([
      ['refund:i:a', { 'receivable:i': 1_000, 'cash:stripe': -1_000 }],
    ]);
    expect(refundLines(issued({ payments, refunds: [{ ...done, reference: '' }] })), 'to credits').to.deep.equal([]);
    expect(refundLines(issued({ payments, refunds: [{ ...done, origin: 'dispute' }] }))).to.deep.equal([
      ['refund:i:a', { 'receivable:i': 1_100, 'disputed:i': -1_100 }],
    ]);
  });

  it('books the money of a lost dispute', () => {
    const dispute = { reference: 'd', at, amountMinor: 1_190, method: 'stripe' };
    const lost = (outcome: 'open' | 'lost') =>
      journalOfInvoice(issued({ disputes: [{ ...dispute, outcome }] })).slice(1);
    expect(linesOf(lost('open'))).to.deep.equal([]);
    expect(linesOf(lost('lost'))).to.deep.equal([['dispute:i:d', { 'disputed:i': 1_190, 'cash:stripe': -1_190 }]]);
  });

  it('books the lots that credits move, and the debt of what they lack', () => {
    const entry: CreditEntry = {
      id: 'e',
      userId: 'u',
      currency: 'EUR',
      amountMinor: -500,
      reason: 'usage',
      note: '',
      reference: 's',
      against: 'usage:s',
      createdAt: at,
      lots: [{ id: 'lot', source: 'payment', reference: 'i', openedAt: at, amountMinor: 300 }],
    };
    expect(linesOf([journalOfCredits(entry)])).to.deep.equal([
      ['credits:e', { 'credits:lot': 300, 'debt:u': 200, 'usage:s': -500 }],
    ]);
    const received = { ...entry, amountMinor: 500, against: 'promotion' };
    expect(linesOf([journalOfCredits(received)])).to.deep.equal([
      ['credits:e', { 'credits:lot': -300, 'debt:u': -200, promotion: 500 }],
    ]);
    expect(journalOfCredits({ ...entry, amountMinor: 0, lots: [] }), 'a mark').to.equal(null);
  });

  it('refuses an entry that does not sum to zero', () => {
    const entry = { id: 'e', kind: 'issue', at, userId: 'u', currency: 'EUR', documentId: 'i', text: '' } as const;
    expect(() =>
      balanced(entry, [
        ['cash:stripe', 5],
        ['receivable:i', -4],
      ]),
    ).to.throw(RangeError);
  });
});
