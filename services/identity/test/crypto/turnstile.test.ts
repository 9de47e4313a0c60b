import { expect } from 'chai';
import { createTurnstile } from '../../src/crypto/turnstile.js';
import { outcomes, refusal, times } from '../integration/harness.js';

/** A task that ends when told to. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('turnstile', () => {
  it('runs no more at once than it may', async () => {
    const turnstile = createTurnstile({ parallel: 3, waiting: 100 });
    let running = 0;
    let most = 0;
    const task = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    await Promise.all(times(50, async () => turnstile.pass(task)));
    expect(most).to.equal(3);
  });

  it('refuses at once when too many wait, and works again afterwards', async () => {
    const turnstile = createTurnstile({ parallel: 1, waiting: 2 });
    const { open, opened } = gate();
    const calls = times(5, async () => turnstile.pass(async () => opened));
    await refusal(calls[3] ?? Promise.resolve());
    open();
    expect(await outcomes(calls)).to.deep.equal({ ok: 3, HASHING_BUSY: 2 });
    expect(await turnstile.pass(async () => 'in')).to.equal('in');
  });

  it('frees the place of a task that failed', async () => {
    const turnstile = createTurnstile({ parallel: 1, waiting: 0 });
    const failing = turnstile.pass(async () => Promise.reject(new Error('no')));
    await failing.catch((error: unknown) => expect(String(error)).to.equal('Error: no'));
    expect(await turnstile.pass(async () => 'in')).to.equal('in');
  });

  it('does not work for somebody who left while waiting', async () => {
    const turnstile = createTurnstile({ parallel: 1, waiting: 5 });
    const { open, opened } = gate();
    const abort = new AbortController();
    let worked = false;
    const first = turnstile.pass(async () => opened);
    const second = turnstile.pass(async () => {
      worked = true;
    }, abort.signal);
    const third = turnstile.pass(async () => 'in');
    abort.abort(new Error('gone'));
    open();
    const results = await Promise.allSettled([first, second, third]);
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(worked).to.be.false;
  });
});
