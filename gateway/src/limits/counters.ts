import type { Redis } from 'ioredis';
import {
  type IRateLimiterRedisOptions,
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterRes,
} from 'rate-limiter-flexible';
import { type AuthEpochs, createEpochReader } from './auth-epochs.js';
import { createRedisTurn, type RedisTurn, type Window } from './redis-turn.js';
import { windowMs } from './rules.js';

/** `cost` 0 only reads. */
export interface Count {
  readonly key: string;
  readonly cost: 0 | 1;
}

interface CountResult {
  /** Includes this request. */
  readonly used: number;
  /** Unix milliseconds of the window's end. */
  readonly resetsAt: number;
}

interface CountResponse {
  /** In request order. */
  readonly counts: readonly CountResult[];
  /** Null without Redis: no caching. */
  readonly epochs: AuthEpochs | null;
  /** Grantable fraction: 1, or 1/replicas while Redis is unavailable. */
  readonly share: number;
}

/** Fixed windows of a minute, and epochs. */
export interface Counters {
  /** `userId` null: epochs of all users only. Never rejects. */
  count(counts: readonly Count[], userId: string | null): Promise<CountResponse>;
}

/** Limiters only count: limits differ per request. */
const windowOptions = { points: Number.MAX_SAFE_INTEGER, duration: windowMs / 1000 };

async function countWith(
  limiter: Pick<RateLimiterMemory, 'get' | 'penalty'>,
  counts: readonly Count[],
): Promise<CountResult[]> {
  const one = async ({ key, cost }: Count) => (cost === 0 ? limiter.get(key) : limiter.penalty(key, cost));
  return (await Promise.all(counts.map(one))).map(resultOf);
}

/** Null: no such counter. */
function resultOf(result: RateLimiterRes | null): CountResult {
  const now = Date.now();
  if (result === null) return { used: 0, resetsAt: now + windowMs };
  return { used: result.consumedPoints, resetsAt: now + Math.max(0, result.msBeforeNext) };
}

/** Local, without Redis. */
export function createMemoryCounters(share = 1): Counters {
  const limiter = new RateLimiterMemory(windowOptions);
  return { count: async (counts) => ({ counts: await countWith(limiter, counts), epochs: null, share }) };
}

/**
 * One command per event loop turn. `_upsert` is the library's extension point; only its counting form is overridden
 * (`consume`, `penalty`, `reward`).
 */
class BatchedRedisLimiter extends RateLimiterRedis {
  readonly #turn: RedisTurn;

  constructor(options: IRateLimiterRedisOptions & { readonly turn: RedisTurn }) {
    super(options);
    this.#turn = options.turn;
  }

  async _upsert(key: string, points: number, durationMs: number): Promise<Window> {
    return this.#turn.increment({ key, points, seconds: Math.floor(durationMs / 1000) });
  }
}

/** After a failure on an open connection: a hanging Redis delays few requests. */
const pauseMs = 1_000;

interface RedisCountersOptions {
  readonly redis: Redis;
  readonly prefix: string;
  /** Grantable fraction while Redis is unavailable. */
  readonly insuranceShare: number;
  /** Once per pause, also while there is no connection. */
  readonly onFailure: () => void;
  /** Monotonic milliseconds. */
  readonly monotonicMs?: () => number;
}

interface RedisCounters extends Counters {
  /** False: counts are local. */
  isAvailable(): boolean;
}

/** Without Redis: local counts, a fraction of the limits, no epochs. */
export function createRedisCounters(options: RedisCountersOptions): RedisCounters {
  const { redis, prefix, insuranceShare, onFailure, monotonicMs = () => performance.now() } = options;
  const turn = createRedisTurn(redis);
  const limiter = new BatchedRedisLimiter({ ...windowOptions, storeClient: redis, turn, keyPrefix: `${prefix}:rate` });
  const readEpochs = createEpochReader(redis, turn, prefix);
  const insurance = createMemoryCounters(insuranceShare);
  let pausedUntil = -Infinity;
  let notedUntil = -Infinity;
  const noteFailure = () => {
    if (monotonicMs() < notedUntil) return;
    notedUntil = monotonicMs() + pauseMs;
    onFailure();
  };
  const isAvailable = () => redis.status === 'ready' && monotonicMs() >= pausedUntil;
  return {
    isAvailable,
    count: async (counts, userId) => {
      if (redis.status !== 'ready') noteFailure();
      if (!isAvailable()) return insurance.count(counts, userId);
      try {
        const [results, epochs] = await Promise.all([countWith(limiter, counts), readEpochs(userId)]);
        return { counts: results, epochs, share: 1 };
      } catch (error) {
        if (!(error instanceof Error)) throw error;
      }
      if (monotonicMs() >= pausedUntil) pausedUntil = monotonicMs() + pauseMs;
      noteFailure();
      return insurance.count(counts, userId);
    },
  };
}
