import { randomBytes } from 'node:crypto';
import { createMetrics } from '@panel/kit/process';
import { testRedisUrl } from '@panel/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { createRequestMetrics } from '../../src/http/request-metrics.js';
import { type Count, type Counters, createMemoryCounters } from '../../src/limits/counters.js';
import { createRedisCounters } from '../../src/limits/redis-counters.js';

const newPrefix = () => `test-${randomBytes(6).toString('hex')}`;

function redisCounters(
  redis: Redis,
  prefix: string,
  change: { onFailure?: () => void; monotonicMs?: () => number } = {},
) {
  return createRedisCounters({ redis, prefix, insuranceShare: 0.5, onFailure: () => undefined, ...change });
}

async function connect(context: Mocha.Context): Promise<Redis> {
  const url = await testRedisUrl();
  if (url === null) return context.skip();
  return new Redis(url);
}

for (const store of ['memory', 'redis'] as const) {
  describe(`counters in ${store}`, () => {
    let counters: Counters;
    let redis: Redis | null = null;

    beforeEach(async function () {
      if (store === 'memory') counters = createMemoryCounters();
      else counters = redisCounters((redis ??= await connect(this)), newPrefix());
    });
    after(() => redis?.disconnect());

    it('gives each of 1,000 concurrent requests its own count', async () => {
      const responses = await Promise.all(
        Array.from({ length: 1_000 }, async () => counters.count([{ key: 'a', cost: 1 }], null)),
      );
      const numbers = responses.map(({ counts }) => counts[0]?.used ?? 0).sort((a, b) => a - b);
      expect(numbers).to.deep.equal(Array.from({ length: 1_000 }, (_, i) => i + 1));
    });

    it('counts several keys of one request separately', async () => {
      await counters.count([{ key: 'a', cost: 1 }], null);
      const keys = [
        { key: 'a', cost: 1 },
        { key: 'b', cost: 1 },
        { key: 'c', cost: 0 },
      ] as const;
      const { counts } = await counters.count(keys, 'user');
      expect(counts.map(({ used }) => used)).to.deep.equal([2, 1, 0]);
      for (const { resetsAt } of counts) expect(resetsAt - Date.now()).to.be.within(50_000, 60_100);
    });

    it('keeps a count unchanged when it is only read', async () => {
      await counters.count([{ key: 'a', cost: 1 }], null);
      for (let i = 0; i < 3; i++) {
        expect((await counters.count([{ key: 'a', cost: 0 }], null)).counts[0]?.used).to.equal(1);
      }
    });
  });
}

describe('counters in Redis', () => {
  let redis: Redis;
  let prefix: string;

  before(async function () {
    redis = await connect(this);
  });
  beforeEach(() => {
    prefix = newPrefix();
  });
  after(() => redis?.disconnect());

  it('returns the epochs of each user', async () => {
    const counters = redisCounters(redis, prefix);
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

  /** Writes to Redis, and commands in them, while `work` runs. */
  const sentBy = async (work: () => Promise<unknown>): Promise<[writes: number, commands: number]> => {
    let writes = 0;
    let commands = 0;
    const { stream } = redis;
    const write = stream.write.bind(stream);
    stream.write = (bytes: string | Uint8Array) => {
      writes += 1;
      commands +=
        Buffer.from(bytes)
          .toString('latin1')
          .match(/^\*\d+\r$/gm)?.length ?? 0;
      return write(bytes);
    };
    try {
      await work();
    } finally {
      stream.write = write;
    }
    return [writes, commands];
  };

  it('answers counts, reads and epochs of concurrent requests from one command in one write', async () => {
    const counters = redisCounters(redis, prefix);
    await counters.count([{ key: 'y', cost: 1 }], 'one');
    const request: readonly Count[] = [
      { key: 'read only', cost: 0 },
      { key: 'y', cost: 1 },
    ];
    const sent = await sentBy(async () =>
      Promise.all(Array.from({ length: 100 }, async () => counters.count(request, 'one'))),
    );
    expect(sent).to.deep.equal([1, 1]);
  });

  it('asks for at most 500 requests with one command', async () => {
    const counters = redisCounters(redis, prefix);
    await counters.count([{ key: 'y', cost: 1 }], 'one');
    const sent = await sentBy(async () =>
      Promise.all(Array.from({ length: 1_001 }, async () => counters.count([{ key: 'y', cost: 1 }], 'one'))),
    );
    expect(sent).to.deep.equal([3, 3]);
  });

  it('answers concurrent requests of different users with their own counts and epochs', async () => {
    const counters = redisCounters(redis, prefix);
    const users = ['one', 'two', 'three'];
    await redis.mset(users.flatMap((user, index) => [`${prefix}:auth:epoch:${user}`, `${index}`]));
    await redis.mset(users.flatMap((user, index) => [`${prefix}:rate:${user}`, `${10 * index}`]));
    const responses = await Promise.all([
      counters.count([{ key: 'one', cost: 1 }], 'one'),
      counters.count([], null),
      counters.count(
        [
          { key: 'two', cost: 0 },
          { key: 'three', cost: 1 },
        ],
        'two',
      ),
      counters.count([{ key: 'three', cost: 1 }], 'three'),
    ]);
    expect(responses.map(({ counts, epochs }) => [counts.map(({ used }) => used), epochs?.user])).to.deep.equal([
      [[1], '0'],
      [[], ''],
      [[10, 21], '1'],
      [[22], '2'],
    ]);
  });

  it('creates no counter when it only reads', async () => {
    await redisCounters(redis, prefix).count([{ key: 'absent', cost: 0 }], null);
    expect(await redis.exists(`${prefix}:rate:absent`)).to.equal(0);
  });

  it('counts requests once after Redis lost its scripts', async () => {
    const counters = redisCounters(redis, prefix);
    await counters.count([{ key: 'warm', cost: 1 }], null);
    await redis.script('FLUSH');
    const { counts, share } = await counters.count([{ key: 'z', cost: 1 }], null);
    expect([counts[0]?.used, share]).to.deep.equal([1, 1]);
  });

  it('sets an expiry on a counter that has none', async () => {
    await redis.set(`${prefix}:rate:stuck`, '5');
    await redisCounters(redis, prefix).count([{ key: 'stuck', cost: 1 }], null);
    expect(await redis.pttl(`${prefix}:rate:stuck`)).to.be.within(1, 60_000);
  });

  it('shares the keys of counters with any RateLimiterRedis of another process', async () => {
    const options = { storeClient: redis, keyPrefix: `${prefix}:rate`, points: 100, duration: 60 };
    const other = new RateLimiterRedis(options);
    const counters = redisCounters(redis, prefix);
    const used = await Promise.all(
      Array.from({ length: 50 }, async (_, i) =>
        i % 2
          ? (await counters.count([{ key: 'k', cost: 1 }], null)).counts[0]?.used
          : (await other.consume('k')).consumedPoints,
      ),
    );
    expect(used.sort((a = 0, b = 0) => a - b)).to.deep.equal(Array.from({ length: 50 }, (_, i) => i + 1));
  });

  describe('unavailable Redis', () => {
    it('counts in the process with its share of the limits and tries Redis again after a pause', async function () {
      let nowMs = 0;
      let failures = 0;
      const hanging = await connect(this);
      await hanging.ping();
      const penalties: number[] = [];
      const counters = redisCounters(hanging, newPrefix(), {
        onFailure: () => (failures += 1),
        monotonicMs: () => nowMs,
      });
      // Commands time out on an open connection.
      hanging.sendCommand = (command) => {
        penalties.push(1);
        command.reject(new Error('Command timed out'));
        return command.promise;
      };
      const first = await counters.count([{ key: 'a', cost: 1 }], 'user');
      expect([first.share, first.epochs, first.counts[0]?.used]).to.deep.equal([0.5, null, 1]);
      const sent = penalties.length;
      await counters.count([{ key: 'a', cost: 1 }], null);
      expect([penalties.length, failures]).to.deep.equal([sent, 1]);
      nowMs += 1_001;
      expect((await counters.count([{ key: 'a', cost: 1 }], null)).counts[0]?.used).to.equal(3);
      expect(penalties.length).to.be.greaterThan(sent);
      hanging.disconnect();
    });

    it('shows a hanging Redis as unavailable after the pause too, and an answering one at once', async function () {
      let nowMs = 0;
      const redis = await connect(this);
      await redis.ping();
      const metrics = createMetrics('gateway');
      const counters = redisCounters(redis, newPrefix(), { monotonicMs: () => nowMs });
      createRequestMetrics(metrics).watchRedis(async () => counters.ping());
      const shown = async () => /^gateway_redis_available\{.*\} (\d)$/m.exec(await metrics.registry.metrics())?.[1];
      const send = redis.sendCommand.bind(redis);
      redis.sendCommand = (command) => {
        command.reject(new Error('Command timed out'));
        return command.promise;
      };
      await counters.count([{ key: 'a', cost: 1 }], null);
      nowMs += 1_001;
      expect(await shown()).to.equal('0');
      redis.sendCommand = send;
      expect(await shown()).to.equal('1');
      redis.disconnect();
    });

    it('calls no Redis while its connection is down', async () => {
      const down = new Redis({ port: 1, lazyConnect: true, enableOfflineQueue: false, retryStrategy: null });
      const metrics = createMetrics('gateway');
      const requestMetrics = createRequestMetrics(metrics);
      const counters = redisCounters(down, 'test', {
        monotonicMs: () => 0,
        onFailure: () => requestMetrics.redisFailed(),
      });
      requestMetrics.watchRedis(async () => counters.ping());
      const { counts, share, epochs } = await counters.count([{ key: 'a', cost: 1 }], 'user');
      expect([counts[0]?.used, share, epochs]).to.deep.equal([1, 0.5, null]);
      await counters.count([{ key: 'a', cost: 1 }], 'user');
      const scraped = await metrics.registry.metrics();
      expect(scraped).to.match(/^gateway_redis_available\{.*\} 0$/m);
      expect(scraped, 'once a second').to.match(/^gateway_redis_failures_total\{.*\} 1$/m);
      expect(down.status).to.equal('wait');
    });
  });
});
