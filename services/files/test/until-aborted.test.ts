import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { untilAborted } from '../src/until-aborted.js';

describe('values until a signal', () => {
  async function* endless() {
    for (let i = 0; ; i += 1) yield i;
  }
  const silent: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({ next: async () => new Promise(() => undefined) }),
  };

  it('are all of them when nothing happens', async () => {
    async function* three() {
      yield* [1, 2, 3];
    }
    const seen = [];
    for await (const value of untilAborted(three(), new AbortController().signal)) seen.push(value);
    expect(seen).to.deep.equal([1, 2, 3]);
  });

  it('end with the reason of the signal, also while the next one is waited for', async () => {
    const abort = new AbortController();
    const next = untilAborted(silent, abort.signal).next();
    const reason = new Error('gone');
    abort.abort(reason);
    expect(await next.catch((error: unknown) => error)).to.equal(reason);
  });

  it('do not begin after the signal', async () => {
    const abort = new AbortController();
    abort.abort(new Error('gone'));
    expect(
      await untilAborted(silent, abort.signal)
        .next()
        .catch(() => 'ended'),
    ).to.equal('ended');
  });

  it('stop their source when nobody wants more', async () => {
    let isStopped = false;
    async function* watched() {
      try {
        yield* endless();
      } finally {
        isStopped = true;
      }
    }
    for await (const value of untilAborted(watched(), new AbortController().signal)) if (value === 3) break;
    await waitUntil('the source to stop', () => isStopped);
  });

  it('are not kept once they have been read, however long the signal is silent', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    async function* upload() {
      for (let count = 0; count < 800; count++) yield Buffer.alloc(256 * 1024);
    }
    const keptMb = () => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers / 1024 ** 2;
    };
    const before = keptMb();
    let count = 0;
    for await (const { length } of untilAborted(upload(), new AbortController().signal)) {
      if (length > 0) count += 1;
      if (count === 800) expect(keptMb() - before, 'of 200 MB').to.be.below(20);
    }
    expect(count).to.equal(800);
  });
});
