import { expect } from 'chai';
import { createConcurrencyLimiter } from '../../src/async/concurrency-limiter.js';

describe('concurrency limiter', () => {
  it('runs at most its limit concurrently and completes everything', async () => {
    const limiter = createConcurrencyLimiter({ concurrency: 3 });
    let running = 0;
    let most = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, async (_, i) =>
        limiter.run(async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
          if (i % 7 === 0) throw new Error('some fail');
          return i;
        }),
      ),
    );
    expect(most).to.equal(3);
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(42);
  });
});
