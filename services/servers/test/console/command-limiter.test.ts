import { randomBytes, randomUUID } from 'node:crypto';
import { createLogger } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { startBreakableProxy, testRedisUrl } from '@panel/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { createCommandLimiter } from '../../src/console/command-limiter.js';

const log = createLogger({ service: 'test', level: 'silent' });
const commandsPerMinute = 4;

describe('the limit of console commands', () => {
  it('counts in the process without Redis, by server', async () => {
    const alone = createCommandLimiter({ redisUrl: null, commandsPerMinute, replicas: 2, log });
    const [a, b] = [randomUUID(), randomUUID()];
    for (let used = 1; used <= commandsPerMinute + 1; used++) {
      const quota = await alone.countCommand(a);
      expect(quota).to.include({ limit: commandsPerMinute, used });
      expect(quota.resetsAt - Date.now()).to.be.within(50_000, 60_100);
    }
    expect((await alone.countCommand(b)).used).to.equal(1);
    alone.close();
  });

  it('grants its fraction while Redis is unavailable', async () => {
    const redisUrl = 'redis://127.0.0.1:1';
    const insured = createCommandLimiter({ redisUrl, commandsPerMinute, replicas: 2, log });
    const serverId = randomUUID();
    for (const used of [1, 2]) expect(await insured.countCommand(serverId)).to.include({ limit: 2, used });
    insured.close();
  });

  it('goes on from its own count where Redis does not answer', async function () {
    const redisUrl = await testRedisUrl();
    if (redisUrl === null) {
      this.skip();
      return;
    }
    const url = new URL(redisUrl);
    const proxy = await startBreakableProxy({ host: url.hostname, port: Number(url.port) });
    url.port = `${proxy.port}`;
    const insured = createCommandLimiter({ redisUrl: url.href, commandsPerMinute, replicas: 2, log });
    const warmUp = async () => (await insured.countCommand(randomUUID())).limit === commandsPerMinute;
    await waitUntil('a count in Redis', warmUp);
    const serverId = randomUUID();
    expect(await insured.countCommand(serverId)).to.include({ limit: commandsPerMinute, used: 1 });
    proxy.hang();
    expect(await insured.countCommand(serverId)).to.include({ limit: 2, used: 2 });
    await proxy.mend();
    await waitUntil('Redis', warmUp);
    expect(await insured.countCommand(serverId)).to.include({ limit: commandsPerMinute, used: 2 });
    insured.close();
    await proxy.close();
  });

  it('gives each of 50 concurrent commands at two processes its own count in Redis', async function () {
    const redisUrl = await testRedisUrl();
    if (redisUrl === null) {
      this.skip();
      return;
    }
    const prefix = `test-${randomBytes(6).toString('hex')}`;
    const redis = new Redis(redisUrl);
    const options = { redisUrl, commandsPerMinute, replicas: 2, log, prefix };
    const limiters = [createCommandLimiter(options), createCommandLimiter(options)];
    for (const limiter of limiters) {
      const warmUp = async () => (await limiter.countCommand(randomUUID())).limit === commandsPerMinute;
      await waitUntil('a count in Redis', warmUp);
    }
    const serverId = randomUUID();
    const quotas = await Promise.all(
      Array.from({ length: 50 }, async (_, at) => limiters[at % 2]?.countCommand(serverId)),
    );
    expect(quotas.map((quota) => quota?.used).sort((a = 0, b = 0) => a - b)).to.deep.equal(
      Array.from({ length: 50 }, (_, at) => at + 1),
    );
    const other = new RateLimiterRedis({ storeClient: redis, keyPrefix: `${prefix}:rate`, points: 1, duration: 60 });
    expect((await other.get(`console:server:${serverId}`))?.consumedPoints).to.equal(50);
    for (const limiter of limiters) limiter.close();
    redis.disconnect();
  });
});
