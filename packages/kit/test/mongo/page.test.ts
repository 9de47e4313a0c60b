import { expect } from 'chai';
import { isAppError } from '../../src/errors/index.js';
import { parsePage, type PageRequest } from '../../src/mongo/index.js';

const sortable = { created_at: 'createdAt', name: 'nameKey' };

function fieldsOf(change: Partial<PageRequest>): unknown {
  try {
    parsePage({ page: 1, perPage: 25, sort: [], search: '', ...change }, sortable);
  } catch (error) {
    return isAppError(error, 'INVALID_FIELDS') ? Object.keys(error.metadata['fields'] as object) : error;
  }
  return [];
}

describe('list request', () => {
  it('fills every missing part of a list request with its default', () => {
    const defaults = { page: 1, perPage: 25, skip: 0, search: '', sort: { createdAt: 1, _id: 1 } };
    expect(parsePage(undefined, sortable)).to.deep.equal(defaults);
  });

  it('sorts by database fields in the given order, then by id', () => {
    const { sort } = parsePage({ page: 2, perPage: 10, sort: ['-name', 'created_at'], search: '' }, sortable);
    expect(Object.entries(sort)).to.deep.equal([
      ['nameKey', -1],
      ['createdAt', 1],
      ['_id', 1],
    ]);
  });

  const refused: readonly [name: string, change: Partial<PageRequest>, field: string][] = [
    ['a page before the first', { page: -1 }, 'page'],
    ['a page beyond counting', { page: 1_000_001 }, 'page'],
    ['too many items', { perPage: 101 }, 'per_page'],
    ['less than no items', { perPage: -1 }, 'per_page'],
    ['a field nobody documents', { sort: ['passwordHash'] }, 'sort'],
    ['a member of every object', { sort: ['__proto__'] }, 'sort'],
    ['a search longer than 100 characters', { search: 'a'.repeat(101) }, 'search'],
    ['a search with a NUL, at which patterns end', { search: 'a\0b' }, 'search'],
  ];
  for (const [name, change, field] of refused) {
    it(`refuses a list request with ${name}`, () => expect(fieldsOf(change)).to.deep.equal([field]));
  }
});
