import type { Logger } from '@panel/kit/process';
import { redisClientOptions, redisKeyPrefix } from '@panel/kit/redis';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import type { CommandQuota } from '../domain/servers/command-quota.js';

/** Of users and schedules together. */
export interface CommandLimiter {
  /** Never rejects. */
  countCommand(serverId: string): Promise<CommandQuota>;
  close(): void;
}

interface CommandLimiterOptions {
  /** Null: local count. */
  readonly redisUrl: string | null;
  readonly commandsPerMinute: number;
  /** Each grants its fraction while Redis is unavailable. */
  readonly replicas: number;
  readonly log: Logger;
  /** Default: the panel's. */
  readonly prefix?: string;
}

/** The limiters only count: the caller refuses. */
const window = { points: Number.MAX_SAFE_INTEGER, duration: 60 };
/** A busy process reads an answer later than it came: a count of its own would then be one too many. */
const commandTimeoutMs = 1_000;
const maxReconnectMs = 1_000;

/**
 * In the key `panel:rate:console:server:<id>` of all processes. Where Redis does not answer, the process goes on from
 * what it has counted itself.
 */
export function createCommandLimiter(options: CommandLimiterOptions): CommandLimiter {
  const { redisUrl, commandsPerMinute, replicas, log, prefix = redisKeyPrefix } = options;
  const local = new RateLimiterMemory(window);
  if (redisUrl === null) {
    return {
      countCommand: async (serverId) => quotaOf(await local.penalty(keyOf(serverId), 1), commandsPerMinute),
      close: () => undefined,
    };
  }
  const redis = connect(redisUrl, log);
  const shared = new RateLimiterRedis({ ...window, storeClient: redis, keyPrefix: `${prefix}:rate` });
  const localLimit = Math.max(1, Math.floor(commandsPerMinute / replicas));
  return {
    countCommand: async (serverId) => {
      const key = keyOf(serverId);
      const here = await local.penalty(key, 1);
      try {
        return quotaOf(await shared.penalty(key, 1), commandsPerMinute);
      } catch (error) {
        log.debug({ err: error }, 'Redis did not count a command');
        return quotaOf(here, localLimit);
      }
    },
    close: () => redis.disconnect(),
  };
}

function keyOf(serverId: string): string {
  return `console:server:${serverId}`;
}

function quotaOf({ consumedPoints, msBeforeNext }: RateLimiterRes, limit: number): CommandQuota {
  return { limit, used: consumedPoints, resetsAt: Date.now() + Math.max(0, msBeforeNext) };
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
    if (!isUnavailable) log.warn({ err: error }, 'Redis is unavailable: commands are counted in this process');
    isUnavailable = true;
  });
  redis.on('ready', () => {
    isUnavailable = false;
  });
  return redis;
}
