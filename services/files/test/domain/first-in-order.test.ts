import { expect } from 'chai';
import { FirstInOrder } from '../../src/domain/first-in-order.js';

describe('FirstInOrder', () => {
  it('keeps the first of many in order', () => {
    const first = new FirstInOrder<number>(10, (a, b) => a - b);
    for (let i = 0; i < 50_000; i += 1) first.add((i * 7_919) % 50_000);
    expect(first.values()).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('keeps all when there are fewer, equal ones included', () => {
    const first = new FirstInOrder<number>(10, (a, b) => a - b);
    for (const value of [3, 1, 3, 2]) first.add(value);
    expect(first.values()).to.deep.equal([1, 2, 3, 3]);
    expect(new FirstInOrder<number>(5, (a, b) => a - b).values()).to.deep.equal([]);
  });
});
