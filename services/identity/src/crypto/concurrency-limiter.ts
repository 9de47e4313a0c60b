import pLimit from 'p-limit';
import { fail } from '../reasons.js';

/** Runs a few tasks at once and lets a bounded number wait. */
export interface ConcurrencyLimiter {
  /** Run a task when a slot is free. Throws HASHING_BUSY when too many wait, the signal's reason when it has aborted by then. */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createConcurrencyLimiter(limits: { concurrency: number; maxWaiting: number }): ConcurrencyLimiter {
  const limit = pLimit(limits.concurrency);
  return {
    run: async (task, signal) => {
      if (limit.activeCount + limit.pendingCount >= limits.concurrency + limits.maxWaiting)
        throw fail('HASHING_BUSY', 'too many sign-ins at once, try again in a second');
      return limit(async () => {
        signal?.throwIfAborted();
        return task();
      });
    },
  };
}
