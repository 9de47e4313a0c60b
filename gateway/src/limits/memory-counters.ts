import { windowMs } from '@panel/kit';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Count, CountResponse, CountResult, Counters } from './counters.js';

/**
 * Counters of this process. They serve an installation without Redis, and every gateway while its Redis is away; then
 * `share` is this gateway's part of the limits.
 */
export function createMemoryCounters(share = 1): Counters {
  const limiter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: windowMs / 1000 });
  const countOne = async ({ key, cost }: Count): Promise<CountResult> => {
    const result = cost === 0 ? await limiter.get(key) : await limiter.penalty(key, cost);
    const now = Date.now();
    if (result === null) return { used: 0, resetsAt: now + windowMs };
    return { used: result.consumedPoints, resetsAt: now + Math.max(0, result.msBeforeNext) };
  };
  return {
    count: async (counts): Promise<CountResponse> => ({
      counts: await Promise.all(counts.map(countOne)),
      epochs: null,
      share,
    }),
    isUp: () => true,
    stop: () => Promise.resolve(),
  };
}
