import { expect } from 'chai';
import { rateLimited } from '../../src/errors/index.js';

describe('rateLimited', () => {
  it('names at least one second to wait', () => {
    const secondsOf = (remainingMs: number) => rateLimited('too many tries', remainingMs).metadata['retryAfterSeconds'];
    expect([1_400, -9_000, 0].map(secondsOf)).to.deep.equal([2, 1, 1]);
    expect(rateLimited('too many tries', 1_400).message).to.equal('too many tries: try again in 2 seconds');
  });
});
