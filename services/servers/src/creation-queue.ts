import { type ConcurrencyLimiter, createConcurrencyLimiter } from '@panel/kit/async';
import { rateLimited } from '@panel/kit/errors';

const retryAfterMs = 1_000;

/** `run` throws RATE_LIMIT_EXCEEDED. */
export function createBoundedLimiter({
  concurrency,
  maxWaiting,
}: {
  readonly concurrency: number;
  readonly maxWaiting: number;
}): ConcurrencyLimiter {
  const exhausted = { name: 'creations', max: concurrency + maxWaiting, remainingMs: retryAfterMs };
  const refusal = () => rateLimited('too much is being created here at once', exhausted);
  return createConcurrencyLimiter({ concurrency, queue: { maxWaiting, refusal } });
}

/** Concurrent writes of one document conflict, and their retries load the database: in sequence they finish sooner. */
export class CreationQueue {
  readonly #queues = new Map<string, ConcurrencyLimiter>();

  constructor(private readonly limits: Parameters<typeof createBoundedLimiter>[0]) {}

  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const queue = this.#queues.get(key) ?? createBoundedLimiter(this.limits);
    this.#queues.set(key, queue);
    try {
      return await queue.run(task, signal);
    } finally {
      if (queue.isIdle) this.#queues.delete(key);
    }
  }
}
