import { expect } from 'chai';
import { rateLimited } from '../../src/errors/index.js';

describe('rateLimited', () => {
  const limited = (remainingMs: number) => rateLimited('too many tries', { name: 'tries', max: 20, remainingMs });

  it('names at least one second to wait', () => {
    const seconds = [1_400, -9_000, 0].map((remainingMs) => limited(remainingMs).metadata['retryAfterSeconds']);
    expect(seconds).to.deep.equal([2, 1, 1]);
    expect(limited(1_400).message).to.equal('too many tries: try again in 2 seconds');
  });

  it('names the limit and how many it allows', () => {
    expect(limited(0).metadata).to.deep.equal({ limit: 'tries', max: 20, retryAfterSeconds: 1 });
  });
});
