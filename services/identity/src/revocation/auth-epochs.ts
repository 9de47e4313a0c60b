import { randomBytes } from 'node:crypto';
import { pause } from '@panel/kit/async';
import type { Logger, TaskGroup } from '@panel/kit/process';
import { redisClientOptions } from '@panel/kit/redis';
import { Redis } from 'ioredis';

/**
 * Invalidates gateway caches. Gateways store the Authenticate response with `panel:auth:epoch:<userId>` and
 * `panel:auth:epoch:all`, read with the rate limits, and call again when either differs. Without Redis they cache
 * nothing.
 */
export interface AuthEpochs {
  /**
   * After a committed change. Resolves when visible to gateways, or after a second without Redis: the change stands,
   * and the bump is retried.
   */
  bump(userId: string): Promise<void>;
  /** For all users: a role or the policy changed. */
  bumpAll(): Promise<void>;
  stop(): Promise<void>;
}

const keyPrefix = 'panel:auth:epoch:';
/** Longer than gateway caches; a missing key reads as a new value. */
const epochTtlSeconds = 3600;
const redisTimeoutMs = 1_000;
const retryPauseMs = 500;

export function createAuthEpochs(options: { redisUrl: string | null; log: Logger; tasks: TaskGroup }): AuthEpochs {
  if (options.redisUrl === null) {
    return { bump: async () => undefined, bumpAll: async () => undefined, stop: async () => undefined };
  }
  return new RedisAuthEpochs(connectRedis(options.redisUrl, options.log), options.log, options.tasks);
}

function connectRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    ...redisClientOptions,
    connectTimeout: redisTimeoutMs,
    commandTimeout: redisTimeoutMs,
    retryStrategy: (attempt) => Math.min(100 * attempt, 2_000),
  });
  let isDown = false;
  redis.on('error', (error) => {
    if (!isDown) log.warn({ err: error }, 'Redis is unavailable: revocations are announced when it is back');
    isDown = true;
  });
  redis.on('ready', () => {
    isDown = false;
  });
  return redis;
}

class RedisAuthEpochs implements AuthEpochs {
  readonly #redis: Redis;
  readonly #log: Logger;
  readonly #tasks: TaskGroup;
  /** Not yet written to Redis. */
  readonly #pending = new Set<string>();
  #isFlushing = false;

  constructor(redis: Redis, log: Logger, tasks: TaskGroup) {
    this.#redis = redis;
    this.#log = log;
    this.#tasks = tasks;
  }

  async bump(userId: string): Promise<void> {
    await this.#announce(`${keyPrefix}${userId}`);
  }

  async bumpAll(): Promise<void> {
    await this.#announce(`${keyPrefix}all`);
  }

  async stop(): Promise<void> {
    if (this.#pending.size > 0)
      this.#log.error({ epochs: [...this.#pending] }, 'stopping with revocations unannounced');
    this.#redis.disconnect();
  }

  async #announce(key: string): Promise<void> {
    try {
      await this.#write(key);
    } catch (error) {
      this.#log.error({ err: error, epoch: key }, 'a revocation could not be announced, retrying');
      this.#pending.add(key);
      if (!this.#isFlushing) this.#tasks.run('announce revocations', async (signal) => this.#flush(signal));
    }
  }

  async #write(key: string): Promise<void> {
    await this.#redis.set(key, randomBytes(16).toString('hex'), 'EX', epochTtlSeconds);
  }

  async #flush(signal: AbortSignal): Promise<void> {
    this.#isFlushing = true;
    for (let key = this.#nextKey(); key !== undefined && !signal.aborted; key = this.#nextKey()) {
      const before = this.#pending.size;
      await this.#writePending(key);
      if (this.#pending.size >= before) await pause(retryPauseMs, signal);
    }
    this.#isFlushing = false;
  }

  async #writePending(key: string): Promise<void> {
    this.#pending.delete(key);
    try {
      await this.#write(key);
    } catch (error) {
      this.#pending.add(key);
      this.#log.debug({ err: error, epoch: key }, 'Redis is still unavailable');
    }
  }

  #nextKey(): string | undefined {
    return this.#pending.values().next().value;
  }
}
