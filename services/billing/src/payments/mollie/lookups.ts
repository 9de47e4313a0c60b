import { createConcurrencyLimiter } from '@panel/kit/async';
import { fail } from '../reasons.js';

const concurrency = 4;
const maxWaiting = 64;
const missMs = 30_000;
const maxMisses = 1_000;

/**
 * Bounds of what unsigned webhooks cause: four lookups at a time, 64 that wait, one of them per id. An id without an own
 * payment is not looked up for 30 seconds (the last 1,000 such ids).
 */
export class Lookups<T> {
  readonly #clock: () => Date;
  readonly #waiting = new Map<string, Promise<T | null>>();
  readonly #misses = new Map<string, number>();
  readonly #limiter = createConcurrencyLimiter({
    concurrency,
    queue: {
      maxWaiting,
      refusal: () => fail('GATEWAY_UNAVAILABLE', 'too many webhooks wait', { gateway: 'mollie' }),
    },
  });

  constructor(clock: () => Date) {
    this.#clock = clock;
  }

  /** Null: no own payment. Throws GATEWAY_UNAVAILABLE when too many wait: Mollie repeats its webhooks. */
  async run(id: string, find: () => Promise<T | null>): Promise<T | null> {
    if (this.#clock().getTime() - (this.#misses.get(id) ?? -Infinity) < missMs) return null;
    // Only one that waits is shared: a running one may show the payment as it was before this webhook.
    const waiting = this.#waiting.get(id);
    if (waiting) return waiting;
    const task = this.#limiter.run(async () => {
      this.#waiting.delete(id);
      const found = await find();
      if (found === null) this.#miss(id);
      return found;
    });
    this.#waiting.set(id, task);
    return task.catch((error: unknown) => {
      if (this.#waiting.get(id) === task) this.#waiting.delete(id);
      throw error;
    });
  }

  #miss(id: string): void {
    this.#misses.delete(id);
    this.#misses.set(id, this.#clock().getTime());
    if (this.#misses.size <= maxMisses) return;
    for (const oldest of this.#misses.keys()) {
      this.#misses.delete(oldest);
      return;
    }
  }
}
