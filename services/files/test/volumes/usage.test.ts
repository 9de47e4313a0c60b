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

  describe('of many owners', () => {
    const setUpSlow = () => {
      const begun: string[] = [];
      const ends = new Map<string, () => void>();
      const meter = new UsageMeter({
        maxAgeMs: 60_000,
        patienceMs: 20,
        measure: async (serverId) => {
          begun.push(serverId);
          await new Promise<void>((resolve) => ends.set(serverId, resolve));
          return 1;
        },
      });
      const end = (serverId: string) => ends.get(serverId)?.();
      return { begun, end, meter };
    };
    const manyServers = Array.from({ length: 20 }, (_, at) => `many ${at}`);

    it('measures the volume of an owner at most second, however many of another owner wait', async () => {
      const { begun, end, meter } = setUpSlow();
      const ofMany = manyServers.map(async (serverId) => meter.readFresh(serverId, 'many'));
      const other = meter.readFresh('few', 'few');
      await waitUntil('two measurements', () => begun.length >= 2);
      expect(begun).to.deep.equal(['many 0', 'few']);
      end('few');
      expect(await other).to.equal(1);

      const next = meter.reserve('next', 10, 'next');
      await waitUntil('the one of the third owner', () => begun.length >= 3);
      expect(begun).to.deep.equal(['many 0', 'few', 'next']);
      end('next');
      (await next).release();

      for (const serverId of manyServers) {
        await waitUntil(serverId, () => begun.includes(serverId));
        end(serverId);
      }
      expect(await Promise.all(ofMany)).to.deep.equal(manyServers.map(() => 1));
    });

    it('measures the volume of a third owner while two measure large ones', async () => {
      const state = { now: 0, isOver: false };
      const working = new Set<string>();
      const large = new Map<string, { passes: number }>();
      const meter = new UsageMeter({
        maxAgeMs: 60_000,
        patienceMs: 20,
        monotonicMs: () => state.now,
        measure: async (serverId, pass) => {
          if (serverId === 'small') return 1;
          const one = { passes: 0 };
          large.set(serverId, one);
          while (!state.isOver) {
            working.add(serverId);
            expect(working.size).to.be.at.most(2);
            await new Promise(setImmediate);
            state.now += 300;
            working.delete(serverId);
            await pass();
            one.passes += 1;
          }
          return 2;
        },
      });
      const ofTwo = ['one', 'two'].flatMap((owner) => ['a', 'b'].map((name) => meter.read(`${owner} ${name}`, owner)));
      await waitUntil('both to work', () => large.size === 2);
      for (const owner of ['three', 'four']) {
        expect(await meter.readFresh('small', owner)).to.equal(1);
        expect([...large.keys()], 'others of their owners wait').to.deep.equal(['one a', 'two a']);
      }
      const passesOf = () => [...large.values()].map(({ passes }) => passes);
      const before = passesOf();
      await waitUntil('both to go on', () => passesOf().every((passes, at) => passes > (before[at] ?? 0)));
      state.isOver = true;
      expect(await Promise.all(ofTwo)).to.deep.equal([2, 2, 2, 2]);
    });

    it('measures one volume of an owner at a time, and a server without an owner as one of its own', async () => {
      const { begun, end, meter } = setUpSlow();
      const ofOwner = [meter.read('a', 'owner'), meter.readWithin('b', 0, 'owner'), meter.readFresh('b', 'owner')];
      const alone = meter.read('c');
      await waitUntil('two measurements', () => begun.length === 2);
      expect(begun).to.deep.equal(['a', 'c']);
      end('a');
      await waitUntil('the next', () => begun.length === 3);
      end('b');
      end('c');
      expect(await Promise.all([...ofOwner, alone])).to.deep.equal([1, null, 1, 1]);
      expect(begun).to.deep.equal(['a', 'c', 'b']);
    });
  });
});
