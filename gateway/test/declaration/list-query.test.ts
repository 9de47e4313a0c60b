import { expect } from 'chai';
import { listQuery, pageOf, pageRequest, wholeListQuery } from '../../src/declaration/list-query.js';

describe('list parameters', () => {
  const query = listQuery('created_at', 'name');

  it('have defaults', () => {
    expect(query.parse({})).to.deep.equal({ page: 1, per_page: 25, search: '', sort: [] });
  });

  it('become a page request', () => {
    const parsed = query.parse({ page: '2', per_page: '100', search: '(a+)+$', sort: '-created_at,name', other: 'x' });
    expect(pageRequest(parsed)).to.deep.include({
      page: 2,
      perPage: 100,
      search: '(a+)+$',
      sort: ['-created_at', 'name'],
    });
  });

  it('refuse everything that is not written plainly', () => {
    for (const wrong of [
      { page: '0' },
      { page: '1e3' },
      { page: ' 1' },
      { page: '+1' },
      { page: '0x10' },
      { page: ['1', '2'] },
      { per_page: '101' },
      { per_page: 'NaN' },
      { sort: '__proto__' },
      { sort: '--name' },
      { sort: 'name;drop' },
    ]) {
      expect(query.safeParse(wrong).success, JSON.stringify(wrong)).to.equal(false);
    }
  });
});

describe('a list that is one page', () => {
  const items = Array.from({ length: 60 }, (_, index) => index);
  const asked = (query: object) => pageOf(items, wholeListQuery.parse(query));

  it('is all there is, unless a page is asked for', () => {
    expect(asked({})).to.deep.equal({ items, page: { page: 1, perPage: 60, total: 60 } });
    expect(asked({ page: '3' })).to.deep.equal({ items: items.slice(50), page: { page: 3, perPage: 25, total: 60 } });
    expect(asked({ per_page: '2' }).items).to.deep.equal([0, 1]);
  });

  it('is empty past its end', () => {
    expect(asked({ page: '4', per_page: '20' })).to.deep.equal({
      items: [],
      page: { page: 4, perPage: 20, total: 60 },
    });
  });
});
