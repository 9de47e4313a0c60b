import { expect } from 'chai';
import fc from 'fast-check';
import type { CreditEntry } from '../../src/domain/credit.js';
import { type Holdings, moveCredits, type MoveOptions, sumOf } from '../../src/domain/credit-lots.js';

const none: Holdings = { balanceMinor: 0, lots: [] };
let serial = 0;
const entry = (amountMinor: number, changes: Partial<CreditEntry> = {}): CreditEntry => {
  serial += 1;
  const createdAt = new Date(serial);
  const base = { id: `entry ${serial}`, userId: 'u', currency: 'EUR', note: '', reference: '', createdAt };
  return { ...base, reason: amountMinor > 0 ? 'purchase' : 'payment', amountMinor, ...changes };
};
/** Each in turn; fails where one is insufficient. */
const after = (...steps: readonly (readonly [CreditEntry, MoveOptions?])[]) =>
  steps.reduce(
    (holdings, [one, options]) => {
      const moved = moveCredits(holdings, one, options);
      if (!moved) throw new Error(`${one.amountMinor} is too much`);
      return moved;
    },
    { ...none, entry: entry(0) },
  );
const partsOf = ({ lots = [] }: Pick<CreditEntry, 'lots'> | Holdings) =>
  lots.map(({ source, reference, amountMinor }) => [source, reference, amountMinor]);

describe('lots of credits', () => {
  const bought = (reference: string, amountMinor: number) => entry(amountMinor, { reference });

  it('spends promotions first, then the oldest', () => {
    const all = after(
      [bought('first', 300)],
      [bought('second', 300)],
      [entry(100, { reason: 'grant' })],
      [entry(-500)],
    );
    expect(partsOf(all.entry)).to.deep.equal([
      ['promotion', '', 100],
      ['payment', 'first', 300],
      ['payment', 'second', 100],
    ]);
    expect(partsOf(all)).to.deep.equal([['payment', 'second', 200]]);
  });

  it('spends lots of one moment in their order', () => {
    const createdAt = new Date(0);
    for (const ids of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const [first, second] = ids.map((id) => entry(300, { id, reference: id, createdAt }));
      if (!first || !second) throw new Error('two are needed');
      expect(after([first], [second], [entry(-100)]).entry.lots?.map(({ id }) => id)).to.deep.equal([ids[0]]);
    }
  });

  it('takes back what was drawn from them, at their old place', () => {
    const spent = after([bought('first', 300)], [bought('second', 300)], [entry(-400)]);
    const back = moveCredits(spent, entry(400, { reason: 'reversal' }), { into: spent.entry.lots });
    const again = back && moveCredits(back, entry(-300));
    expect(again && partsOf(again.entry)).to.deep.equal([['payment', 'first', 300]]);
  });

  it('gives what is asked of one payment from its own lots only', () => {
    const both = after([bought('first', 300)], [bought('second', 300)]);
    expect(moveCredits(both, entry(-301), { of: 'second' })).to.equal(null);
    const held = moveCredits(both, entry(-301), { of: 'second', isAtMost: true });
    expect(held?.entry.amountMinor).to.equal(-300);
    expect(held && partsOf(held)).to.deep.equal([['payment', 'first', 300]]);
    const owed = moveCredits(both, entry(-700), { of: 'second', mayOwe: true });
    expect(owed?.balanceMinor).to.equal(-100);
    expect(owed && partsOf(owed.entry)).to.deep.equal([
      ['payment', 'second', 300],
      ['payment', 'first', 300],
    ]);
  });

  it('pays a debt first, and of a return with its promotions', () => {
    const debt = after([entry(-200, { reason: 'usage' }), { mayOwe: true }]);
    const paid = moveCredits(debt, bought('first', 300));
    expect(paid?.balanceMinor).to.equal(100);
    expect(paid && partsOf(paid)).to.deep.equal([['payment', 'first', 100]]);
    const [promotion, payment] = [
      { id: 'p', source: 'promotion' as const, reference: '', openedAt: new Date(0), amountMinor: 250 },
      { id: 'q', source: 'payment' as const, reference: 'x', openedAt: new Date(0), amountMinor: 50 },
    ];
    const returned = moveCredits(debt, entry(300, { reason: 'refund' }), { into: [payment, promotion] });
    expect(returned && partsOf(returned)).to.have.deep.members([
      ['payment', 'x', 50],
      ['promotion', '', 50],
    ]);
  });

  it('keeps their sum equal to the balance, or none below zero, in any history', () => {
    const step = fc.record({
      amount: fc.integer({ min: -700, max: 500 }).filter((amount) => amount !== 0),
      reference: fc.constantFrom('a', 'b', 'c'),
      isGrant: fc.boolean(),
      mayOwe: fc.boolean(),
      isAtMost: fc.boolean(),
      isOwn: fc.boolean(),
      isReturn: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let holdings: Holdings = none;
        const spent: CreditEntry[] = [];
        for (const { amount, reference, isGrant, mayOwe, isAtMost, isOwn, isReturn } of steps) {
          const of = isOwn ? { of: reference } : {};
          const source = isReturn ? spent.pop() : undefined;
          const isWhole = source !== undefined && sumOf(source.lots ?? []) === -source.amountMinor;
          const moved = isWhole
            ? moveCredits(holdings, entry(-source.amountMinor, { reason: 'reversal' }), { into: source.lots })
            : moveCredits(
                holdings,
                entry(amount, { reference, ...(isGrant && amount > 0 ? { reason: 'grant' } : {}) }),
                { mayOwe, isAtMost: isAtMost && !mayOwe, ...of },
              );
          if (!moved) continue;
          expect(moved.balanceMinor - holdings.balanceMinor).to.equal(moved.entry.amountMinor);
          expect(sumOf(moved.lots)).to.equal(Math.max(0, moved.balanceMinor));
          expect(new Set(moved.lots.map(({ id }) => id)).size).to.equal(moved.lots.length);
          expect(moved.lots.every((lot) => lot.amountMinor > 0)).to.equal(true);
          if (moved.entry.amountMinor < 0) spent.push(moved.entry);
          holdings = moved;
        }
      }),
    );
  });
});
