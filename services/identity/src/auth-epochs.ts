import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger, TaskGroup } from '@panel/kit';
import { Redis } from 'ioredis';

/**
 * Tells the gateways that what they know of a user is old. They keep what Authenticate answered together with the value
 * of `panel:auth:epoch:<userId>` and of `panel:auth:epoch:all`, read both in the round trip of the rate limits, and ask
 * again when either differs. Without Redis they keep nothing.
 */
export interface AuthEpochs {
  /**
   * Announce a committed change that may alter what Authenticate answers. Resolves when the gateways can see it, or after
   * a second when Redis does not answer: then the change stands, and the announcement is repeated until it succeeds.
   */
  changed(userId: string): Promise<void>;
  /** As `changed`, for everybody at once: a role was changed. */
  changedForAll(): Promise<void>;
  stop(): Promise<void>;
}

const keyPrefix = 'panel:auth:epoch:';
/** Longer than any gateway keeps an answer; a missing key reads as a new value. */
const epochTtlSeconds = 3600;
const redisTimeoutMs = 1_000;
const retryPauseMs = 500;

export function createAuthEpochs(options: { redisUrl: string | null; log: Logger; tasks: TaskGroup }): AuthEpochs {
  if (options.redisUrl === null) {
    return { changed: async () => undefined, changedForAll: async () => undefined, stop: async () => undefined };
  }
  return redisEpochs(connectRedis(options.redisUrl, options.log), options.log, options.tasks);
}

function connectRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    connectTimeout: redisTimeoutMs,
    commandTimeout: redisTimeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(100 * attempt, 2_000),
  });
  let isDown = false;
  redis.on('error', (error) => {
    if (!isDown) log.warn({ err: error }, 'Redis is away: revocations are announced when it is back');
    isDown = true;
  });
  redis.on('ready', () => {
    isDown = false;
  });
  return redis;
}

function redisEpochs(redis: Redis, log: Logger, tasks: TaskGroup): AuthEpochs {
  /** Keys whose new value Redis has not taken yet. */
  const owed = new Set<string>();
  let isPaying = false;
  const write = async (key: string) => redis.set(key, randomBytes(16).toString('hex'), 'EX', epochTtlSeconds);
  const payOne = async (key: string) => {
    owed.delete(key);
    try {
      await write(key);
    } catch (error) {
      owed.add(key);
      log.debug({ err: error, epoch: key }, 'Redis is still away');
    }
  };
  const payAll = async (signal: AbortSignal) => {
    isPaying = true;
    for (let key = nextOf(owed); key !== undefined && !signal.aborted; key = nextOf(owed)) {
      const before = owed.size;
      await payOne(key);
      if (owed.size >= before) await pause(signal);
    }
    isPaying = false;
  };
  const announce = async (name: string) => {
    const key = `${keyPrefix}${name}`;
    try {
      await write(key);
    } catch (error) {
      log.error({ err: error, epoch: key }, 'a revocation could not be announced, trying again');
      owed.add(key);
      if (!isPaying) tasks.run('announce revocations', payAll);
    }
  };
  return {
    changed: announce,
    changedForAll: async () => announce('all'),
    stop: async () => {
      if (owed.size > 0) log.error({ epochs: [...owed] }, 'stopping with revocations unannounced');
      redis.disconnect();
    },
  };
}

function nextOf(keys: ReadonlySet<string>): string | undefined {
  return keys.values().next().value;
}

async function pause(signal: AbortSignal): Promise<void> {
  try {
    await wait(retryPauseMs, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
