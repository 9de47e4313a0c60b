import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { abortableIterable, pause, raceAbort } from '../../src/async/index.js';
import { deferred, reasonOf } from '../../src/testing/index.js';

const reason = new Error('aborted by the test');

describe('abortableIterable', () => {
  async function* three() {
    yield 1;
    yield 2;
    yield 3;
  }

  it('yields every value of the source', async () => {
    const values: number[] = [];
    for await (const value of abortableIterable(three(), new AbortController().signal)) values.push(value);
    expect(values).to.deep.equal([1, 2, 3]);
  });

  it('throws the reason of the signal while a value is pending', async () => {
    const abort = new AbortController();
    const pending: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({ next: async () => deferred<never>().promise }),
    };
    const next = abortableIterable(pending, abort.signal).next();
    abort.abort(reason);
    expect(await reasonOf(next)).to.equal(reason.message);
  });

  it('throws at once with a signal that has aborted before', async () => {
    const next = abortableIterable(three(), AbortSignal.abort(reason)).next();
    expect(await reasonOf(next)).to.equal(reason.message);
  });

  it('returns the source and removes its listener when the loop breaks', async () => {
    const { signal } = new AbortController();
    const returned = deferred();
    async function* observed() {
      try {
        yield* three();
      } finally {
        returned.resolve();
      }
    }
    for await (const value of abortableIterable(observed(), signal)) if (value === 2) break;
    await returned.promise;
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });
});

describe('raceAbort', () => {
  it('resolves with the result and removes its listener', async () => {
    const { signal } = new AbortController();
    expect(await raceAbort(Promise.resolve('done'), signal)).to.equal('done');
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });

  it('rejects with the failure of the work', async () => {
    expect(await reasonOf(raceAbort(Promise.reject(new Error('broken')), new AbortController().signal))).to.equal(
      'broken',
    );
  });

  it('rejects with the reason of the signal, and ignores a late failure of the work', async () => {
    const abort = new AbortController();
    const work = deferred();
    const result = reasonOf(raceAbort(work.promise, abort.signal));
    abort.abort(reason);
    expect(await result).to.equal(reason.message);
    work.reject(new Error('too late'));
  });

  it('gives the work a grace period after the abort', async () => {
    const abort = new AbortController();
    const work = deferred<string>();
    const result = raceAbort(work.promise, abort.signal, 60_000);
    abort.abort(reason);
    work.resolve('in time');
    expect(await result).to.equal('in time');
    expect(await reasonOf(raceAbort(deferred().promise, abort.signal, 1))).to.equal(reason.message);
  });

  it('waits for the work when there is no signal', async () => {
    expect(await raceAbort(Promise.resolve(1), undefined)).to.equal(1);
  });
});

describe('pause', () => {
  it('ends at once when its signal aborts, and removes its listener', async () => {
    const abort = new AbortController();
    const paused = pause(60_000, abort.signal);
    abort.abort(reason);
    await paused;
    await pause(60_000, abort.signal);
    const { signal } = new AbortController();
    await pause(1, signal);
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });
});
