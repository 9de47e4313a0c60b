import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Logger } from '@panel/kit';

/** Longer than this nobody waits for a counter: then the process counts on its own. */
export const redisTimeoutMs = 300;
const maxReconnectMs = 1_000;

/** Time a starting gateway waits for Redis before it serves without. */
const startTimeoutMs = 2_000;

/** A connection that fails fast and reconnects for ever; commands are never queued while it is away. */
export function connectRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: redisTimeoutMs,
    connectTimeout: 2_000,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), maxReconnectMs),
  });
  let isAway = false;
  redis.on('error', (error) => {
    if (!isAway)
      log.warn({ err: error }, 'Redis is away: limits are counted in this process, identity is always asked');
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) log.info('Redis is back');
    isAway = false;
  });
  return redis;
}

/** Begin to connect; resolves when that has succeeded, or after 2 s. */
export async function waitForRedis(redis: Redis): Promise<void> {
  const connected = redis.connect().catch(() => {
    // Reported by the error event; reconnecting goes on.
  });
  await Promise.race([connected, wait(startTimeoutMs, undefined, { ref: false })]);
}
