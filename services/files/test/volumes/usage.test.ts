import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { UsageMeter } from '../../src/volumes/usage.js';

describe('usage meter', () => {
  const setUp = () => {
    const state = { now: 0, bytes: 10, calls: 0, release: null as (() => void) | null, isHeld: false, takesMs: 0 };
    const meter = new UsageMeter({
      maxAgeMs: 60_000,
      patienceMs: 20,
      monotonicMs: () => state.now,
      measure: async () => {
        state.calls += 1;
        if (state.isHeld) await new Promise<void>((resolve) => (state.release = resolve));
        state.now += state.takesMs;
        if (state.bytes < 0) throw new Error('gone');
        return state.bytes;
      },
    });
    return { state, meter };
  };

  it('measures once for concurrent callers', async () => {
    const { state, meter } = setUp();
    const answers = await Promise.all(Array.from({ length: 50 }, async () => meter.read('a')));
    expect(new Set(answers)).to.deep.equal(new Set([10]));
    expect(state.calls).to.equal(1);
  });

  it('caches a measurement for its maximum age', async () => {
    const { state, meter } = setUp();
    await meter.read('a');
    state.bytes = 20;
    state.now = 59_999;
    expect(await meter.read('a')).to.equal(10);
    state.now = 60_000;
    expect(await meter.read('a')).to.equal(20);
  });

  it('takes off a replaced file what the last measurement has counted of it, and nothing else', async () => {
    const { state, meter } = setUp();
    state.bytes = 100_000;
    await meter.read('a');
    const file = { blocks: 8n, nlink: 0n };
    const [longAgo, now] = [BigInt(Date.now() - 1_000), BigInt(Date.now() + 1_000)];
    expect(meter.free('a', { ...file, ctimeMs: longAgo })).to.equal(true);
    expect(await meter.read('a')).to.equal(100_000 - 8 * 512);
    expect(meter.free('a', { ...file, ctimeMs: now })).to.equal(false);
    expect(await meter.read('a')).to.equal(100_000 - 8 * 512);
  });

  it('measures servers separately', async () => {
    const { state, meter } = setUp();
    await meter.read('a');
    state.bytes = 20;
    expect(await meter.read('b')).to.equal(20);
  });

  it('returns the last measurement while a slow one runs', async () => {
    const { state, meter } = setUp();
    await meter.read('a');
    state.now = 60_000;
    state.isHeld = true;
    state.bytes = 20;
    expect(await meter.read('a')).to.equal(10);
    expect(await meter.read('a')).to.equal(10);
    expect(state.calls).to.equal(2);
    state.release?.();
    await waitUntil('the new reading', async () => (await meter.read('a')) === 20);
  });

  it('measures slow volumes less often', async () => {
    const { state, meter } = setUp();
    state.takesMs = 60_000;
    await meter.read('a');
    state.now += 4 * 60_000 - 1;
    await meter.read('a');
    expect(state.calls).to.equal(1);
    state.now += 1;
    await meter.read('a');
    expect(state.calls).to.equal(2);
  });

  it('measures again after a large deletion', async () => {
    const { state, meter } = setUp();
    await meter.read('a');
    state.bytes = 5;
    meter.expire('a');
    meter.expire('b');
    expect(await meter.read('a')).to.equal(5);
  });

  it('measures again after a failure and after invalidation', async () => {
    const { state, meter } = setUp();
    state.bytes = -1;
    expect(await meter.read('a').catch(() => 'failed')).to.equal('failed');
    state.bytes = 5;
    expect(await meter.read('a')).to.equal(5);
    state.bytes = 6;
    meter.forget('a');
    expect(await meter.read('a')).to.equal(6);
  });
});
