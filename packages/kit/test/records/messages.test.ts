import { expect } from 'chai';
import { enumOf, messageFields, wordOf } from '../../src/records/index.js';

enum State {
  UNSPECIFIED = 'STATE_UNSPECIFIED',
  INSTALL_FAILED = 'STATE_INSTALL_FAILED',
}

describe('records as messages', () => {
  it('names an enum value by its word, and back', () => {
    expect(enumOf(State, 'install_failed')).to.equal(State.INSTALL_FAILED);
    expect(wordOf(State, State.INSTALL_FAILED)).to.equal('install_failed');
  });

  it('finds no word for UNSPECIFIED and for unknown values', () => {
    expect(wordOf(State, State.UNSPECIFIED)).to.equal(null);
    expect(wordOf(State, 'STATE_OTHER')).to.equal(null);
  });

  it('throws a TypeError for a word without an enum value', () => {
    expect(() => enumOf(State, 'other' as 'install_failed')).to.throw(TypeError);
  });

  it('leaves null fields undefined and does not change the record', () => {
    const record = { id: 'a', tags: ['x'], limit: null };
    expect(messageFields(record)).to.deep.equal({ id: 'a', tags: ['x'], limit: undefined });
    expect(record.limit).to.equal(null);
  });
});
