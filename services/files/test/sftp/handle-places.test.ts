import { expect } from 'chai';
import { isAppError } from '@panel/kit/errors';
import { HandlePlaces } from '../../src/sftp/handle-places.js';

describe('places of open SFTP files', () => {
  it('bounds the files of an account and of all accounts, and takes places back', () => {
    const places = new HandlePlaces({ perUser: 2, total: 3 });
    const problemOf = (userId: string) => {
      try {
        places.enter(userId);
        return '';
      } catch (error) {
        if (isAppError(error, 'BUSY')) return error.message;
        throw error;
      }
    };
    expect(['a', 'a', 'a', 'b', 'b'].map(problemOf)).to.deep.equal([
      '',
      '',
      'an account may have 2 files open',
      '',
      'the node has too many files open; try again later',
    ]);
    places.leave('a');
    expect(['b', 'a'].map(problemOf)).to.deep.equal(['', 'the node has too many files open; try again later']);
  });

  it('reads a bound from what the process may open', () => {
    expect(() => new HandlePlaces().enter('a')).not.to.throw();
  });
});
