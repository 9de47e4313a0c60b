import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Logger } from '@panel/kit/process';
import { redisClientOptions } from '@panel/kit/redis';

/** Then the process counts locally. */
const redisTimeoutMs = 300;
const maxReconnectMs = 1_000;

/** Then serves without Redis. */
const startTimeoutMs = 2_000;

/** Fails fast, reconnects forever, queues nothing while down. */
export function connectRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    ...redisClientOptions,
    lazyConnect: true,
    enableOfflineQueue: false,
    commandTimeout: redisTimeoutMs,
    connectTimeout: 2_000,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), maxReconnectMs),
  });
  let isUnavailable = false;
  redis.on('error', (error) => {
    if (!isUnavailable) {
      log.warn({ err: error }, 'Redis is unavailable: limits are counted in this process, identity is called always');
    }
    isUnavailable = true;
  });
  redis.on('ready', () => {
    if (isUnavailable) log.info('Redis is available again');
    isUnavailable = false;
  });
  return redis;
}

/** Resolves on success or after 2 s. */
export async function waitForRedis(redis: Redis): Promise<void> {
  const connected = redis.connect().catch(() => {
    // The error event reports it; reconnecting continues.
  });
  await Promise.race([connected, wait(startTimeoutMs, undefined, { ref: false })]);
}
