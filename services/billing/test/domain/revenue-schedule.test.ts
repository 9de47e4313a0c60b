import { expect } from 'chai';
import fc from 'fast-check';
import { creditedLines } from '../../src/domain/credit-note.js';
import type { InvoiceItem, InvoiceRecord } from '../../src/domain/invoice.js';
import { deferredMinor, earnedMinor, type RevenueSegment, revenueSegments } from '../../src/domain/revenue-schedule.js';
import { invoiceOf, refundOf } from './sold-invoice.js';

const day = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * 86_400_000);
const april = { periodStart: day(0), periodEnd: day(30) };

const paid = (at: Date, changes: Partial<InvoiceItem> = april, price = 3_000): InvoiceRecord => {
  const invoice = invoiceOf([price], 0, false);
  const items = invoice.items.map((item) => ({ ...item, ...changes }));
  return { ...invoice, items, status: 'paid', paidAt: at };
};
const refunded = (invoice: InvoiceRecord, amountMinor: number, at: Date): InvoiceRecord => {
  const refund = { ...refundOf(`refund ${invoice.refunds.length}`, amountMinor), state: 'done' as const, at };
  return { ...invoice, refunds: [...invoice.refunds, refund] };
};
const sum = (segments: readonly RevenueSegment[], of: typeof earnedMinor, at: Date) =>
  segments.reduce((total, segment) => total + of(segment, at), 0);
/** Earned, then deferred. */
const stateOf = (invoice: InvoiceRecord, at: Date) => {
  const segments = revenueSegments(invoice);
  return [sum(segments, earnedMinor, at), sum(segments, deferredMinor, at)];
};

describe('revenue', () => {
  it('comes evenly over the time that is sold, from its payment on', () => {
    const invoice = paid(day(-5));
    expect([-6, -5, 0, 10, 30, 99].map((at) => stateOf(invoice, day(at)))).to.deep.equal([
      [0, 0],
      [0, 3_000],
      [0, 3_000],
      [1_000, 2_000],
      [3_000, 0],
      [3_000, 0],
    ]);
  });

  it('catches up when the payment is late', () => {
    const invoice = paid(day(10));
    expect(stateOf(invoice, day(9))).to.deep.equal([0, 0]);
    expect(stateOf(invoice, day(10))).to.deep.equal([1_000, 2_000]);
  });

  it('begins with the payment where the period does, setup fee at once', () => {
    const term = { interval: 'month', count: 1 } as const;
    const changes = { periodStart: null, periodEnd: null, term, unitPriceMinor: 2_000, setupFeeMinor: 1_000 };
    expect(stateOf(paid(day(0), changes), day(0))).to.deep.equal([1_000, 2_000]);
    expect(stateOf(paid(day(0), changes), day(31))).to.deep.equal([3_000, 0]);
  });

  it('comes at once of what has no time, in its month of usage, and never of bought credits', () => {
    const none = { periodStart: null, periodEnd: null };
    expect(stateOf(paid(day(3), none), day(3))).to.deep.equal([3_000, 0]);
    expect(stateOf(paid(day(31), { ...april, purpose: 'usage' }), day(15))).to.deep.equal([1_500, 1_500]);
    expect(revenueSegments(paid(day(3), { ...none, purpose: 'credits', productId: '' }))).to.deep.equal([]);
    expect(revenueSegments({ ...paid(day(3)), paidAt: null })).to.deep.equal([]);
  });

  it('loses a refund from the time to come first, then from what was earned', () => {
    const part = refunded(paid(day(0)), 500, day(10));
    expect(stateOf(part, day(10))).to.deep.equal([1_000, 1_500]);
    expect(stateOf(part, day(20))).to.deep.equal([1_750, 750]);
    const rest = refunded(part, 2_500, day(20));
    expect(stateOf(rest, day(20))).to.deep.equal([0, 0]);
    expect(stateOf(rest, day(15))).to.deep.equal(stateOf(part, day(15)));
  });

  it('keeps its sum, and its past, through any refunds at any time', () => {
    const cases = fc.record({
      paidOn: fc.integer({ min: -40, max: 40 }),
      price: fc.integer({ min: 1, max: 10_000 }),
      setup: fc.integer({ min: 0, max: 500 }),
      length: fc.integer({ min: 1, max: 400 }),
      refunds: fc.array(fc.record({ after: fc.double({ min: 0, max: 300, noNaN: true }), part: fc.nat(2_000) }), {
        maxLength: 5,
      }),
      at: fc.double({ min: -50, max: 900, noNaN: true }),
    });
    fc.assert(
      fc.property(cases, ({ paidOn, price, setup, length, refunds, at }) => {
        const changes = { periodStart: day(0), periodEnd: day(length), unitPriceMinor: price, setupFeeMinor: setup };
        let invoice = paid(day(paidOn), changes, price + setup);
        let soldMinor = price + setup;
        for (const { after, part } of refunds.toSorted((a, b) => a.after - b.after)) {
          const before = invoice;
          const amountMinor = Math.min(part, soldMinor);
          if (amountMinor === 0) continue;
          const refundAt = day(paidOn + after);
          invoice = refunded(invoice, amountMinor, refundAt);
          const refund = invoice.refunds.at(-1);
          const credited = refund ? creditedLines(invoice, refund) : [];
          soldMinor -= credited.reduce((total, { netMinor }) => total + netMinor, 0);
          const earlier = day(Math.min(at, paidOn + after - 0.01));
          expect(stateOf(invoice, earlier)).to.deep.equal(stateOf(before, earlier));
          const [earned = 0, deferred = 0] = stateOf(invoice, refundAt);
          expect(earned + deferred).to.equal(soldMinor);
        }
        expect(stateOf(invoice, day(5_000))).to.deep.equal([soldMinor, 0]);
        expect(stateOf(invoice, day(at))[1]).to.be.at.least(0);
      }),
      { numRuns: 2_000 },
    );
  });
});
