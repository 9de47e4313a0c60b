import { expect } from 'chai';
import { createHashingLimiter } from '../../src/crypto/hashing-limiter.js';
import { outcomes, refusal, times } from '../integration/harness.js';

/** Resolved by the test. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('createHashingLimiter', () => {
  it('runs at most the configured number of tasks at once', async () => {
    const limiter = createHashingLimiter({ concurrency: 3, maxWaiting: 100 });
    let running = 0;
    let most = 0;
    const task = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    await Promise.all(times(50, async () => limiter.run(task)));
    expect(most).to.equal(3);
  });

  it('refuses immediately when too many tasks wait and recovers afterwards', async () => {
    const limiter = createHashingLimiter({ concurrency: 1, maxWaiting: 2 });
    const { open, opened } = gate();
    const calls = times(5, async () => limiter.run(async () => opened));
    await refusal(calls[3] ?? Promise.resolve());
    open();
    expect(await outcomes(calls)).to.deep.equal({ ok: 3, HASHING_BUSY: 2 });
    expect(await limiter.run(async () => 'in')).to.equal('in');
  });

  it('frees the slot of a failed task', async () => {
    const limiter = createHashingLimiter({ concurrency: 1, maxWaiting: 0 });
    const failing = limiter.run(async () => Promise.reject(new Error('no')));
    await failing.catch((error: unknown) => expect(String(error)).to.equal('Error: no'));
    expect(await limiter.run(async () => 'in')).to.equal('in');
  });

  it('skips a waiting task whose caller has aborted', async () => {
    const limiter = createHashingLimiter({ concurrency: 1, maxWaiting: 5 });
    const { open, opened } = gate();
    const abort = new AbortController();
    let worked = false;
    const first = limiter.run(async () => opened);
    const second = limiter.run(async () => {
      worked = true;
    }, abort.signal);
    const third = limiter.run(async () => 'in');
    abort.abort(new Error('gone'));
    open();
    const results = await Promise.allSettled([first, second, third]);
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(worked).to.be.false;
  });
});
