import { randomBytes } from 'node:crypto';
import { testRedisUrl } from '@panel/stack/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { Counters } from '../../src/limits/counters.js';
import { createMemoryCounters } from '../../src/limits/memory-counters.js';
import { createRedisCounters } from '../../src/limits/redis-counters.js';
import { createResilientCounters } from '../../src/limits/resilient-counters.js';

for (const store of ['memory', 'redis'] as const) {
  describe(`counters in ${store}`, () => {
    let counters: Counters;
    let redis: Redis | null = null;
    let prefix = '';

    beforeEach(async function () {
      prefix = `test-${randomBytes(6).toString('hex')}`;
      if (store === 'memory') counters = createMemoryCounters();
      else {
        const url = await testRedisUrl();
        if (url === null) {
          this.skip();
          return;
        }
        redis ??= new Redis(url);
        counters = createRedisCounters(redis, prefix);
      }
    });
    after(() => redis?.disconnect());

    it('give every request its own number', async () => {
      const answers = await Promise.all(
        Array.from({ length: 1_000 }, async () => counters.count([{ key: 'a', cost: 1 }], null)),
      );
      const numbers = answers.map(({ counts }) => counts[0]?.used ?? 0).sort((a, b) => a - b);
      expect(numbers).to.deep.equal(Array.from({ length: 1_000 }, (_, i) => i + 1));
    });

    it('count several things at once and keep them apart', async () => {
      await counters.count([{ key: 'a', cost: 1 }], null);
      const { counts } = await counters.count(
        [
          { key: 'a', cost: 1 },
          { key: 'b', cost: 1 },
          { key: 'a', cost: 0 },
          { key: 'c', cost: 0 },
        ],
        'user',
      );
      expect(counts.map(({ used }) => used).slice(0, 2)).to.deep.equal([2, 1]);
      expect(counts[3]?.used).to.equal(0);
      for (const { resetsAt } of counts) expect(resetsAt - Date.now()).to.be.within(50_000, 60_100);
    });

    it('look without counting', async () => {
      for (let i = 0; i < 3; i++) {
        expect((await counters.count([{ key: 'a', cost: 0 }], null)).counts[0]?.used).to.equal(0);
      }
    });
  });
}

describe('counters in redis, beyond counting', () => {
  let redis: Redis;
  const prefix = `test-${randomBytes(6).toString('hex')}`;

  before(async function () {
    const url = await testRedisUrl();
    if (url === null) {
      this.skip();
      return;
    }
    redis = new Redis(url);
  });
  after(() => redis?.disconnect());

  it('read the epochs of each user in the same step', async () => {
    const counters = createRedisCounters(redis, prefix);
    await redis.mset(`${prefix}:auth:epoch:one`, '1', `${prefix}:auth:epoch:all`, 'all');
    const [one, nobody, two] = await Promise.all([
      counters.count([{ key: 'x', cost: 1 }], 'one'),
      counters.count([{ key: 'x', cost: 1 }], null),
      counters.count([], 'two'),
    ]);
    expect(one.epochs).to.include({ all: 'all', user: '1' });
    expect(nobody.epochs?.user).to.equal('');
    expect(two.epochs).to.include({ all: 'all', user: '' });
    expect(one.epochs?.instance).to.have.length.greaterThan(10);
    expect(two.epochs?.instance).to.equal(one.epochs?.instance);
  });

  it('send one script for all requests of a turn', async () => {
    const counters = createRedisCounters(redis, prefix);
    const calls = async () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
    await counters.count([{ key: 'y', cost: 1 }], null);
    const before = await calls();
    await Promise.all(Array.from({ length: 100 }, async () => counters.count([{ key: 'y', cost: 1 }], null)));
    expect((await calls()) - before).to.equal(1);
  });

  it('teach the script again to a Redis that has forgotten it, and count once', async () => {
    const counters = createRedisCounters(redis, prefix);
    await redis.script('FLUSH');
    expect((await counters.count([{ key: 'z', cost: 1 }], null)).counts[0]?.used).to.equal(1);
  });

  it('leave no counter without an end', async () => {
    const counters = createRedisCounters(redis, prefix);
    await redis.set(`${prefix}:rate:stuck`, '5');
    await counters.count([{ key: 'stuck', cost: 1 }], null);
    expect(await redis.pttl(`${prefix}:rate:stuck`)).to.be.within(1, 60_000);
  });
});

describe('resilient counters', () => {
  const failing = (isUp: boolean): Counters & { asked: number } => ({
    asked: 0,
    async count() {
      this.asked += 1;
      throw new Error('away');
    },
    isUp: () => isUp,
    stop: async () => undefined,
  });

  it('count on their own while the shared ones fail, and give their part of the limits', async () => {
    let now = 0;
    const shared = failing(true);
    const failures: unknown[] = [];
    const counters = createResilientCounters(
      shared,
      createMemoryCounters(0.5),
      (error) => failures.push(error),
      () => now,
    );
    const first = await counters.count([{ key: 'a', cost: 1 }], 'user');
    expect([first.share, first.epochs, first.counts[0]?.used]).to.deep.equal([0.5, null, 1]);
    await counters.count([{ key: 'a', cost: 1 }], null);
    expect([shared.asked, failures.length]).to.deep.equal([1, 1]);
    now += 1_001;
    expect((await counters.count([{ key: 'a', cost: 1 }], null)).counts[0]?.used).to.equal(3);
    expect(shared.asked).to.equal(2);
  });

  it('do not even ask while the connection is down', async () => {
    const shared = failing(false);
    const counters = createResilientCounters(shared, createMemoryCounters(), () => undefined);
    await counters.count([{ key: 'a', cost: 1 }], null);
    expect(shared.asked).to.equal(0);
  });
});
