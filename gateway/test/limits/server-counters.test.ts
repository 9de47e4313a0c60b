import { randomBytes } from 'node:crypto';
import { countInWindows, serverCounterName, windowKey } from '@panel/kit';
import { testRedisUrl } from '@panel/stack/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { RateLimiter } from '../../src/limits/limiter.js';
import { createRedisCounters } from '../../src/limits/redis-counters.js';
import { QuotaRules } from '../../src/limits/rules.js';

describe('the counters of a server', () => {
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

  const rules = new QuotaRules({ general: 1, auth: 1, console: 5, upload: 6, backup: 7 });

  for (const rateClass of ['console', 'upload', 'backup'] as const) {
    it(`(${rateClass}) are the same for gateways and for any other process that counts`, async () => {
      const limiter = new RateLimiter(rules, createRedisCounters(redis, prefix));
      const count = { name: serverCounterName(rateClass, 'one'), cost: 1 } as const;
      const used: number[] = [];
      for (let round = 0; round < 3; round++) {
        used.push((await limiter.countServer(rateClass, 'one')).used);
        used.push((await countInWindows(redis, [count], prefix))[0]?.used ?? 0);
      }
      expect(used).to.deep.equal([1, 2, 3, 4, 5, 6]);
      expect((await limiter.countServer(rateClass, 'another')).used).to.equal(1);
      expect(await redis.get(`${prefix}:rate:${rateClass}:server:one`)).to.equal('6');
    });
  }

  it('are counted exactly by fifty at a time, on both ways', async () => {
    const limiter = new RateLimiter(rules, createRedisCounters(redis, prefix));
    const count = { name: serverCounterName('console', 'busy'), cost: 1 } as const;
    const used = await Promise.all(
      Array.from({ length: 50 }, async (_, i) =>
        i % 2
          ? (await limiter.countServer('console', 'busy')).used
          : (await countInWindows(redis, [count], prefix))[0]?.used,
      ),
    );
    expect(used.sort((a = 0, b = 0) => a - b)).to.deep.equal(Array.from({ length: 50 }, (_, i) => i + 1));
  });

  it('can be looked at without counting, and end with their window', async () => {
    const name = serverCounterName('backup', 'looked at');
    const looked = await countInWindows(redis, [{ name, cost: 0 }], prefix);
    expect(looked[0]?.used).to.equal(0);
    expect(await redis.exists(windowKey(name, prefix))).to.equal(0);
    const [state] = await countInWindows(redis, [{ name, cost: 1 }], prefix);
    expect((state?.resetsAt ?? 0) - Date.now()).to.be.within(55_000, 60_000);
    expect(await redis.pttl(windowKey(name, prefix))).to.be.within(1, 60_000);
  });

  it('are taught again to a Redis that has forgotten the script, and counted once', async () => {
    await redis.script('FLUSH');
    const [state] = await countInWindows(redis, [{ name: 'console:server:flushed', cost: 1 }], prefix);
    expect(state?.used).to.equal(1);
  });
});
