import pLimit from 'p-limit';

/** Waiting tasks run in arrival order. */
export interface ConcurrencyLimiter {
  /** Throws `refusal` at once when too many wait, the signal's reason when aborted before its turn. */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  readonly isIdle: boolean;
}

interface ConcurrencyLimits {
  readonly concurrency: number;
  /** Unbounded when absent. */
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
