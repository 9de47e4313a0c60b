import { expect } from 'chai';
import type { Coupon } from '../../src/domain/coupon.js';
import { allocate, divideHalfUp, scaleHalfUp } from '../../src/domain/money.js';
import { discountOfUnit, quote, renewalDiscount, type WantedItem } from '../../src/domain/quote.js';
import { withTax } from '../../src/domain/tax.js';
import { productWith } from '../product.js';

const noTax = { basisPoints: 0, isInclusive: false };
const wanted = (priceMinor: number, quantity = 1): WantedItem => {
  const product = productWith();
  const [plan] = product.plans;
  if (!plan) throw new Error('a product of the tests has a plan');
  return { product, plan: { ...plan, priceMinor }, quantity, config: { serverName: '', environment: {} } };
};
const coupon = (changes: Partial<Coupon> = {}): Coupon => ({
  id: 'c',
  code: 'CODE',
  type: 'percent',
  value: 10,
  currency: '',
  productIds: [],
  maxUses: null,
  uses: 0,
  maxUsesPerUser: null,
  recurring: 1,
  startsAt: null,
  expiresAt: null,
  createdAt: new Date(0),
  ...changes,
});

describe('money', () => {
  it('rounds half up, also below zero', () => {
    expect([1, 3, -1, -3, 5].map((n) => divideHalfUp(n, 2))).to.deep.equal([1, 2, 0, -1, 3]);
    expect(scaleHalfUp(9_007_199_254_740_991, 1_000_000, 1_000_000)).to.equal(9_007_199_254_740_991);
  });

  it('splits money without a cent lost', () => {
    for (const [amount, weights] of [
      [100, [1, 1, 1]],
      [1, [5, 5, 5]],
      [999, [1, 0, 2]],
      [0, [1, 2]],
    ] as const) {
      const parts = allocate(amount, weights);
      expect(parts.reduce((sum, part) => sum + part, 0)).to.equal(amount);
    }
    expect(allocate(5, [0, 0])).to.deep.equal([0, 0]);
  });
});

describe('tax', () => {
  it('comes on top of a price, or out of it', () => {
    expect(withTax(499, { basisPoints: 1900, isInclusive: false })).to.include({ taxMinor: 95, totalMinor: 594 });
    expect(withTax(499, { basisPoints: 1900, isInclusive: true })).to.include({ netMinor: 419, taxMinor: 80 });
  });
});

describe('a quote', () => {
  it('takes a percentage off each line it holds for', () => {
    const [a, b] = [wanted(999), wanted(1001, 2)];
    const priced = quote([a, b], coupon({ productIds: [b.product.id] }), noTax);
    expect(priced.items.map(({ discountMinor }) => discountMinor)).to.deep.equal([0, 200]);
    expect(priced.totalMinor).to.equal(999 + 2002 - 200);
  });

  it('makes nothing free but with 100 percent', () => {
    const half = coupon({ value: 50, recurring: null });
    const { items, totalMinor } = quote([wanted(1), wanted(0), wanted(3)], half, noTax);
    expect([items.map(({ discountMinor }) => discountMinor), totalMinor]).to.deep.equal([[0, 0, 2], 2]);
    expect(quote([wanted(1)], coupon({ value: 100 }), noTax).totalMinor).to.equal(0);
    const discount = { couponId: 'c', code: 'CODE', type: 'percent' as const, value: 99, remaining: null };
    expect([0, 1, 2, 100].map((price) => renewalDiscount(discount, price))).to.deep.equal([0, 0, 1, 99]);
  });

  it('takes a fixed amount off once, and never more than there is', () => {
    const items = [wanted(100), wanted(300)];
    expect(quote(items, coupon({ type: 'fixed', value: 100 }), noTax).totalMinor).to.equal(300);
    expect(quote(items, coupon({ type: 'fixed', value: 5000 }), noTax).totalMinor).to.equal(0);
  });

  it('leaves on a service what the coupon says for further invoices', () => {
    const [line] = quote([wanted(1000, 3)], coupon({ recurring: 3 }), noTax).items;
    if (!line) throw new Error('a quote has a line for each item');
    expect(discountOfUnit(coupon({ recurring: 3 }), line)?.remaining).to.equal(2);
    expect(discountOfUnit(coupon({ recurring: null }), line)?.remaining).to.equal(null);
    const once = discountOfUnit(coupon({ recurring: 1 }), line);
    expect([once?.remaining, renewalDiscount(once, 999)]).to.deep.equal([0, 0]);
    expect(renewalDiscount(discountOfUnit(coupon({ recurring: null }), line), 999)).to.equal(100);
  });
});
