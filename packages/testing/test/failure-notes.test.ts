import { expect } from 'chai';
import { failureNotes, noteOnFailure } from '../src/failure-notes.js';

describe('notes about failures', () => {
  it('says what there is to say at the time of the failure, until a note is dropped', () => {
    let state = '';
    const drop = noteOnFailure(() => state);
    const dropOther = noteOnFailure(() => 'servers is gone');
    try {
      expect(failureNotes()).to.equal('servers is gone');
      state = 'billing: TypeError';
      expect(failureNotes()).to.equal('billing: TypeError; servers is gone');
      drop();
      expect(failureNotes()).to.equal('servers is gone');
    } finally {
      drop();
      dropOther();
    }
    expect(failureNotes()).to.equal('');
  });
});
