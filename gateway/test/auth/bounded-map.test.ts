import { expect } from 'chai';
import { BoundedMap } from '../../src/auth/bounded-map.js';

describe('bounded map', () => {
  it('drops the oldest entry at its limit', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 3);
    map.set('c', 4);
    expect([map.get('a'), map.get('b'), map.get('c'), map.size]).to.deep.equal([3, undefined, 4, 2]);
  });
});
