import pLimit from 'p-limit';

/** Runs a few tasks at once; the others wait in the order they came. */
export interface ConcurrencyLimiter {
  /**
   * Run a task when a slot is free. Throws what `refusal` makes when too many wait, at once, and the signal's reason when it
   * has aborted by the time of its turn.
   */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Whether nothing runs and nothing waits. */
  readonly isIdle: boolean;
}

interface ConcurrencyLimits {
  readonly concurrency: number;
  /** How many may wait, and what the next one hears; without a queue any number waits. */
  readonly queue?: { readonly maxWaiting: number; readonly refusal: () => Error };
}

export function createConcurrencyLimiter({ concurrency, queue }: ConcurrencyLimits): ConcurrencyLimiter {
  const limit = pLimit(concurrency);
  return {
    run: async (task, signal) => {
      if (queue && limit.activeCount + limit.pendingCount >= concurrency + queue.maxWaiting) throw queue.refusal();
      return limit(async () => {
        signal?.throwIfAborted();
        return task();
      });
    },
    get isIdle() {
      return limit.activeCount + limit.pendingCount === 0;
    },
  };
}
