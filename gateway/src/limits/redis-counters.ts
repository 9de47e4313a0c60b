import type { Redis } from 'ioredis';
import { createEpochReader } from './auth-epochs.js';
import { BatchedRedisLimiter } from './batched-redis-limiter.js';
import type { AuthEpochs, Counters } from './counters.js';
import { InsuranceLimiter } from './insurance-limiter.js';
import { countWith, resultOf, windowOptions } from './memory-counters.js';
import { createRedisTurn } from './redis-turn.js';

/** After a failure on an open connection: a hanging Redis delays few requests. */
const pauseMs = 1_000;

interface RedisCountersOptions {
  readonly redis: Redis;
  readonly prefix: string;
  /** Grantable fraction while Redis is unavailable. */
  readonly insuranceShare: number;
  /** Once per pause. */
  readonly onFailure: () => void;
  /** Monotonic milliseconds. */
  readonly monotonicMs?: () => number;
}

/** Without Redis: local counts, a fraction of the limits, no epochs. */
export function createRedisCounters(options: RedisCountersOptions): Counters {
  const { redis, prefix, insuranceShare, onFailure, monotonicMs = () => performance.now() } = options;
  const insurance = new InsuranceLimiter(windowOptions);
  const turn = createRedisTurn(redis);
  const shared = new BatchedRedisLimiter({
    ...windowOptions,
    storeClient: redis,
    turn,
    keyPrefix: `${prefix}:rate`,
    insuranceLimiter: insurance,
  });
  const readEpochs = createEpochReader(redis, turn, prefix);
  let pausedUntil = -Infinity;
  return {
    count: async (counts, userId) => {
      const usesRedis = redis.status === 'ready' && monotonicMs() >= pausedUntil;
      const limiter = usesRedis ? shared : insurance;
      const [results, epochs] = await Promise.all([
        Promise.all(counts.map(async (count) => countWith(limiter, count))),
        usesRedis ? nullIfUnavailable(readEpochs(userId)) : null,
      ]);
      const isInsured = results.some((result) => insurance.hasIssued(result)) || !usesRedis;
      if (usesRedis && (isInsured || epochs === null) && monotonicMs() >= pausedUntil) {
        pausedUntil = monotonicMs() + pauseMs;
        onFailure();
      }
      return { counts: results.map(resultOf), epochs, share: isInsured ? insuranceShare : 1 };
    },
  };
}

async function nullIfUnavailable(epochs: Promise<AuthEpochs>): Promise<AuthEpochs | null> {
  try {
    return await epochs;
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}
