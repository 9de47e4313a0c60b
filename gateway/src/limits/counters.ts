import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { AuthEpochs } from './auth-epochs.js';
import { windowMs } from './rules.js';

/** `cost` 0 only reads. */
export interface Count {
  readonly key: string;
  readonly cost: 0 | 1;
}

export interface CountResult {
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

/** Local, without Redis. */
export function createMemoryCounters(share = 1): Counters {
  const limiter = new RateLimiterMemory(windowOptions);
  const countOne = async ({ key, cost }: Count) =>
    resultOf(await (cost === 0 ? limiter.get(key) : limiter.penalty(key, cost)));
  return { count: async (counts) => ({ counts: await Promise.all(counts.map(countOne)), epochs: null, share }) };
}

/** Null: no such counter. */
function resultOf(result: RateLimiterRes | null): CountResult {
  const now = Date.now();
  if (result === null) return { used: 0, resetsAt: now + windowMs };
  return { used: result.consumedPoints, resetsAt: now + Math.max(0, result.msBeforeNext) };
}
