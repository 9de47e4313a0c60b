import { expect } from 'chai';
import { serversRead } from '../../src/api/first-reads.js';
import { inOrder, withPlace } from '../../src/server-list/server-order.js';

const servers = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
const ids = (places: readonly string[]) => inOrder(servers, places).map(({ id }) => id);

describe('the order of servers', () => {
  it('sorts servers by their places, and leaves those without one behind as they come', () => {
    expect(ids([])).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(ids(['d', 'gone', 'b'])).to.deep.equal(['d', 'b', 'a', 'c']);
  });

  it('changes when one is put elsewhere, first, between and last', () => {
    for (const [index, order] of [
      [0, ['c', 'a', 'b', 'd']],
      [1, ['a', 'c', 'b', 'd']],
      [3, ['a', 'b', 'd', 'c']],
    ] as const)
      expect(ids(withPlace([], ['a', 'b', 'c', 'd'], 'c', index))).to.deep.equal(order);
  });

  it('leaves servers of other groups and pages where they are', () => {
    const places = ['x', 'a', 'y', 'b', 'z'];
    expect(withPlace(places, ['a', 'b'], 'b', 0)).to.deep.equal(['x', 'b', 'y', 'a', 'z']);
    expect(withPlace(places, ['a', 'b', 'c'], 'c', 0)).to.deep.equal(['x', 'c', 'y', 'a', 'z', 'b']);
  });

  it('holds for as many servers as the panel gives at once', () => {
    expect(serversRead(1, '').address).to.match(/[?&]per_page=100&/);
  });

  it('stays within what preferences hold', () => {
    const many = Array.from({ length: 400 }, (_, index) => `server-${index}`);
    expect(withPlace([], many, 'server-399', 0))
      .to.have.length(300)
      .and.include('server-399');
  });
});
