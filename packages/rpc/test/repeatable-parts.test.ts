import { monotonicClock } from '@panel/kit/async';
import { expect } from 'chai';
import { RepeatableParts } from '../src/repeatable-parts.js';

async function* numbers(count: number) {
  for (let part = 1; part <= count; part += 1) yield await Promise.resolve(part);
}

async function take(parts: RepeatableParts, count = Infinity): Promise<unknown[]> {
  const taken: unknown[] = [];
  for await (const part of parts.read()) if (taken.push(part) === count) break;
  return taken;
}

describe('parts of a request stream', () => {
  it('gives each try the parts from the first one on', async () => {
    const parts = new RepeatableParts(numbers(16));
    expect(await take(parts, 3)).to.deep.equal([1, 2, 3]);
    const all = await take(parts);
    expect(all).to.deep.equal(Array.from({ length: 16 }, (_, at) => at + 1));
    expect(await take(parts)).to.deep.equal(all);
    expect(parts.isWhole).to.equal(true);
  });

  it('retains no more than sixteen', async () => {
    const parts = new RepeatableParts(numbers(40));
    expect(await take(parts, 16)).to.have.length(16);
    expect(parts.isWhole).to.equal(true);
    expect((await take(parts)).at(-1)).to.equal(40);
    expect(parts.isWhole).to.equal(false);
  });

  it('retains none five seconds after the begin of a try, and passes all of them on', async () => {
    let now = 0;
    const parts = new RepeatableParts(numbers(5), { ...monotonicClock, now: () => now });
    await take(parts, 2);
    const taken: unknown[] = [];
    for await (const part of parts.read()) {
      taken.push(part);
      now += 2_600;
    }
    expect(taken).to.deep.equal([1, 2, 3, 4, 5]);
    expect(parts.isWhole).to.equal(false);
  });

  it('end their source with the call', async () => {
    let hasEnded = false;
    const source = async function* () {
      try {
        yield* numbers(5);
      } finally {
        hasEnded = true;
      }
    };
    const parts = new RepeatableParts(source());
    await take(parts, 1);
    expect(hasEnded).to.equal(false);
    parts.close();
    await Promise.resolve();
    await new Promise(setImmediate);
    expect(hasEnded).to.equal(true);
  });
});
