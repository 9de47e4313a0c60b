import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Logger } from '@panel/kit/process';
import { redisClientOptions } from '@panel/kit/redis';

/** A command without a reply after this long has failed; the process then counts alone. */
export const redisTimeoutMs = 300;
const maxReconnectMs = 1_000;

/** A starting gateway waits this long for Redis, then serves without it. */
const startTimeoutMs = 2_000;

/**
 * A connection that fails fast and reconnects for ever; commands are never queued while it is down. All commands of one
 * turn of the event loop are sent in one write.
 */
export function connectRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    ...redisClientOptions,
    lazyConnect: true,
    enableAutoPipelining: true,
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

/** Connect; resolves when that has succeeded, or after 2 s. */
export async function waitForRedis(redis: Redis): Promise<void> {
  const connected = redis.connect().catch(() => {
    // Reported by the error event; reconnecting continues.
  });
  await Promise.race([connected, wait(startTimeoutMs, undefined, { ref: false })]);
}
