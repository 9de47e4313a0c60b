import { expect } from 'chai';
import { listQuery, pageRequest } from '../../src/routes/list-query.js';

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
