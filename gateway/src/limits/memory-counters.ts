import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Count, CountResult, Counters } from './counters.js';
import { windowMs } from './rules.js';

/** Limiters only count: limits differ per request. */
export const windowOptions = { points: Number.MAX_SAFE_INTEGER, duration: windowMs / 1000 };

type Limiter = Pick<RateLimiterMemory, 'get' | 'penalty'>;

/** Null: no such counter. */
export async function countWith(limiter: Limiter, { key, cost }: Count): Promise<RateLimiterRes | null> {
  return cost === 0 ? limiter.get(key) : limiter.penalty(key, cost);
}

export function resultOf(result: RateLimiterRes | null): CountResult {
  const now = Date.now();
  if (result === null) return { used: 0, resetsAt: now + windowMs };
  return { used: result.consumedPoints, resetsAt: now + Math.max(0, result.msBeforeNext) };
}

/** Local, without Redis. */
export function createMemoryCounters(): Counters {
  const limiter = new RateLimiterMemory(windowOptions);
  return {
    count: async (counts) => ({
      counts: (await Promise.all(counts.map(async (count) => countWith(limiter, count)))).map(resultOf),
      epochs: null,
      share: 1,
    }),
  };
}
