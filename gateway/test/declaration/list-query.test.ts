import { expect } from 'chai';
import { listQuery, pageRequest, selectPage } from '../../src/declaration/list-query.js';

describe('list parameters', () => {
  const query = listQuery('created_at', 'name');

  it('fills missing list parameters with defaults', () => {
    expect(query.parse({})).to.deep.equal({ page: 1, per_page: 25, search: '', sort: [] });
  });

  it('turns list parameters into a page request', () => {
    const parsed = query.parse({ page: '2', per_page: '100', search: '(a+)+$', sort: '-created_at,name', other: 'x' });
    expect(pageRequest(parsed)).to.deep.include({
      page: 2,
      perPage: 100,
      search: '(a+)+$',
      sort: ['-created_at', 'name'],
    });
  });

  it('refuses list parameters in any other notation', () => {
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

describe('list that a service returns completely', () => {
  const query = listQuery('name', 'size');
  const items = [
    { name: 'b10', size: 1 },
    { name: 'b9', size: 2 },
    { name: 'A', size: 2 },
  ];
  const names = (parameters: object) =>
    selectPage(items, query.parse(parameters), ({ name }) => name).items.map(({ name }) => name);

  it('keeps its order unless it is sorted', () => {
    expect(names({})).to.deep.equal(['b10', 'b9', 'A']);
    expect(names({ sort: 'name' })).to.deep.equal(['A', 'b9', 'b10']);
    expect(names({ sort: '-size,name' })).to.deep.equal(['A', 'b9', 'b10']);
  });

  it('searches literally and case-insensitively, with the number of matches', () => {
    expect(names({ search: 'B' })).to.deep.equal(['b10', 'b9']);
    expect(names({ search: '.*' })).to.deep.equal([]);
    const { page } = selectPage(items, query.parse({ search: 'b', per_page: '1' }), ({ name }) => name);
    expect(page).to.deep.equal({ page: 1, perPage: 1, total: 2 });
  });

  it('returns an empty page past the end of the list', () => {
    const { items: found, page } = selectPage(items, query.parse({ page: '4' }), ({ name }) => name);
    expect([found, page]).to.deep.equal([[], { page: 4, perPage: 25, total: 3 }]);
  });
});
