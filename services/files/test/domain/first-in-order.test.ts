import { expect } from 'chai';
import fc from 'fast-check';
import { FirstInOrder } from '../../src/domain/first-in-order.js';

describe('FirstInOrder', () => {
  const byValue = (a: number, b: number) => a - b;
  const firstOf = (count: number, values: Iterable<number>) => {
    const first = new FirstInOrder<number>(count, byValue);
    for (const value of values) first.add(value);
    return first.values();
  };

  it('keeps the first of many in order', () => {
    const values = Array.from({ length: 50_000 }, (_, i) => (i * 7_919) % 50_000);
    expect(firstOf(10, values)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('keeps all when there are fewer, equal ones included', () => {
    expect(firstOf(10, [3, 1, 3, 2])).to.deep.equal([1, 2, 3, 3]);
    expect(firstOf(5, [])).to.deep.equal([]);
  });

  it('keeps what sorting all of them would', () => {
    const counts = fc.integer({ min: 1, max: 3_000 });
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 5_000, size: 'max' }), counts, (values, count) => {
        expect(firstOf(count, values)).to.deep.equal(values.toSorted(byValue).slice(0, count));
      }),
      { numRuns: 20 },
    );
  });
});
