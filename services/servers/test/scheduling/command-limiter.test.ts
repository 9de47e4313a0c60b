import { randomBytes, randomUUID } from 'node:crypto';
import { createLogger } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { testRedisUrl } from '@panel/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { createCommandLimiter } from '../../src/scheduling/command-limiter.js';
import { reasonOf } from '../support/fixture.js';

const log = createLogger({ service: 'test', level: 'silent' });
const commandsPerMinute = 4;

describe('the limits of a server', () => {
  it('counts the limits of a server in the process without Redis, by server', async () => {
    const alone = createCommandLimiter({ redisUrl: null, commandsPerMinute, log });
    const [a, b] = [randomUUID(), randomUUID()];
    for (let count = 0; count < commandsPerMinute; count++) await alone.countCommand(a);
    expect(await reasonOf(alone.countCommand(a))).to.equal('SERVER_RATE_LIMITED');
    await alone.countCommand(b);
    alone.close();
  });

  it('shares the limits of a server with the gateways through Redis', async function () {
    const redisUrl = await testRedisUrl();
    if (redisUrl === null) {
      this.skip();
      return;
    }
    const prefix = `test-${randomBytes(6).toString('hex')}`;
    const redis = new Redis(redisUrl);
    const shared = createCommandLimiter({ redisUrl, commandsPerMinute, log, prefix });
    const serverId = randomUUID();
    const gateway = new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: `${prefix}:rate`,
      points: 1000,
      duration: 60,
    });
    const counted = async () => (await gateway.get(`console:server:${serverId}`))?.consumedPoints ?? 0;
    await waitUntil('a count in Redis', async () => {
      await shared.countCommand(serverId).catch(() => undefined);
      return (await counted()) > 0;
    });
    while ((await counted()) < commandsPerMinute) await gateway.penalty(`console:server:${serverId}`);
    expect(await reasonOf(shared.countCommand(serverId))).to.equal('SERVER_RATE_LIMITED');
    shared.close();
    redis.disconnect();
  });
});
