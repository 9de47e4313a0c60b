import { type Logger, redisKeyPrefix } from '@panel/kit';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { fail } from '../../reasons.js';
import type { ServerLimits } from './ports.js';

export interface ServerLimitsOptions {
  /** Null: this process counts alone. */
  readonly redisUrl: string | null;
  /** Per minute and server. */
  readonly limits: { readonly console: number; readonly backup: number };
  readonly log: Logger;
  /** Default: the one that the gateways use. */
  readonly prefix?: string;
}

const windowSeconds = 60;
const commandTimeoutMs = 300;
const maxReconnectMs = 1_000;

/**
 * Counts against the keys that the gateways count against, `panel:rate:console:server:<id>` and the like. While Redis is
 * unavailable this process counts alone.
 */
export function createServerLimits({
  redisUrl,
  limits,
  log,
  prefix = redisKeyPrefix,
}: ServerLimitsOptions): ServerLimits {
  const redis = redisUrl === null ? null : connect(redisUrl, log);
  const create = (points: number) => {
    const memory = new RateLimiterMemory({ points, duration: windowSeconds });
    if (!redis) return memory;
    const keyPrefix = `${prefix}:rate`;
    return new RateLimiterRedis({
      storeClient: redis,
      keyPrefix,
      points,
      duration: windowSeconds,
      insuranceLimiter: memory,
    });
  };
  const limiters = { console: create(limits.console), backup: create(limits.backup) };
  return {
    count: async (kind, serverId) => {
      try {
        await limiters[kind].consume(`${kind}:server:${serverId}`);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        const what = kind === 'console' ? 'console commands' : 'backups';
        throw fail('SERVER_RATE_LIMITED', `the server has used up its ${what} of this minute`, { limit: kind });
      }
    },
    close: () => redis?.disconnect(),
  };
}

function connect(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), maxReconnectMs),
  });
  let isUnavailable = false;
  redis.on('error', (error) => {
    if (!isUnavailable)
      log.warn({ err: error }, 'Redis is unavailable: limits of schedules are counted in this process');
    isUnavailable = true;
  });
  redis.on('ready', () => {
    isUnavailable = false;
  });
  return redis;
}
