import type { Logger } from '@panel/kit/process';
import { redisClientOptions, redisKeyPrefix } from '@panel/kit/redis';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { fail } from '../reasons.js';
import type { CommandLimiter } from './dependencies.js';

interface CommandLimiterOptions {
  /** Null: local count. */
  readonly redisUrl: string | null;
  readonly commandsPerMinute: number;
  readonly log: Logger;
  /** Default: the gateways'. */
  readonly prefix?: string;
}

const windowSeconds = 60;
const commandTimeoutMs = 300;
const maxReconnectMs = 1_000;

/** Shares the gateways' key `panel:rate:console:server:<id>`. Without Redis it counts locally. */
export function createCommandLimiter(options: CommandLimiterOptions): CommandLimiter {
  const { redisUrl, commandsPerMinute: points, log, prefix = redisKeyPrefix } = options;
  const redis = redisUrl === null ? null : connect(redisUrl, log);
  const memory = new RateLimiterMemory({ points, duration: windowSeconds });
  const limiter = redis
    ? new RateLimiterRedis({
        storeClient: redis,
        keyPrefix: `${prefix}:rate`,
        points,
        duration: windowSeconds,
        insuranceLimiter: memory,
      })
    : memory;
  return {
    countCommand: async (serverId) => {
      try {
        await limiter.consume(`console:server:${serverId}`);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        throw fail('SERVER_RATE_LIMITED', 'the server has used up its console commands of this minute');
      }
    },
    close: () => redis?.disconnect(),
  };
}

function connect(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    ...redisClientOptions,
    enableOfflineQueue: false,
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
