import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { reasonOf } from '@panel/kit/testing';
import { CreationQueue } from '../src/creation-queue.js';

function createGate() {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

describe('turns of creations', () => {
  const turns = () => new CreationQueue({ concurrency: 2, maxWaiting: 3 });

  it('runs few tasks of a key at a time, in their order, and refuses those above the bound at once', async () => {
    const own = turns();
    let running = 0;
    let most = 0;
    const done: number[] = [];
    const task = (index: number) => async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      done.push(index);
    };
    const reasons = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => reasonOf(own.run('a', task(index)))),
    );
    expect(reasons.slice(0, 5).every((reason) => reason === 'none')).to.equal(true);
    expect(reasons.slice(5)).to.deep.equal(Array.from({ length: 3 }, () => 'RATE_LIMIT_EXCEEDED'));
    expect([most, done]).to.deep.equal([2, [0, 1, 2, 3, 4]]);
    expect(await reasonOf(own.run('a', task(8)))).to.equal('none');
  });

  it('lets creations of one key pass those of another, and passes the turn on after failures', async () => {
    const own = new CreationQueue({ concurrency: 1, maxWaiting: 1 });
    const gate = createGate();
    const first = own.run('a', async () => gate.passed);
    const second = reasonOf(own.run('a', async () => Promise.reject(new Error('broken'))));
    expect(await own.run('b', async () => 'b')).to.equal('b');
    gate.open();
    await first;
    expect(await second).to.equal('broken');
    expect(await own.run('a', async () => 'again')).to.equal('again');
  });

  it('names its bound and the seconds to wait when it refuses', async () => {
    const own = new CreationQueue({ concurrency: 1, maxWaiting: 1 });
    const gate = createGate();
    const waiting = [own.run('a', async () => gate.passed), own.run('a', async () => gate.passed)];
    const refusal: unknown = await own.run('a', async () => 'third').catch((error: unknown) => error);
    expect(isAppError(refusal) && refusal.metadata).to.deep.equal({ limit: 'creations', max: 2, retryAfterSeconds: 1 });
    gate.open();
    await Promise.all(waiting);
  });

  it('begins nothing for a caller who has gone', async () => {
    const own = new CreationQueue({ concurrency: 1, maxWaiting: 1 });
    const gate = createGate();
    const first = own.run('a', async () => gate.passed);
    const caller = new AbortController();
    let hasBegun = false;
    const second = reasonOf(own.run('a', async () => void (hasBegun = true), caller.signal));
    caller.abort(new Error('gone'));
    gate.open();
    await first;
    expect(await second).to.equal('gone');
    expect(hasBegun).to.equal(false);
  });
});
