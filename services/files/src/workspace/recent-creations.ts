import { LRUCache } from 'lru-cache';

/** For repeats after a lost response. */
const retentionMs = 10 * 60_000;
/** Per node. */
const maxRetained = 10_000;

/**
 * Repeated and parallel calls of an idempotency id share a response. In memory; after a crash the `CreationJournal`
 * applies.
 */
export class RecentCreations<T> {
  readonly #responses: LRUCache<string, Promise<T>>;

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#responses = new LRUCache({
      max: maxRetained,
      ttl: retentionMs,
      ttlResolution: 0,
      perf: { now: monotonicMs },
    });
  }

  async once(serverId: string, idempotencyId: string | undefined, make: () => Promise<T>): Promise<T> {
    if (idempotencyId === undefined) return make();
    const name = `${serverId} ${idempotencyId}`;
    const earlier = this.#responses.get(name);
    if (earlier) return earlier;
    const response = make();
    this.#responses.set(name, response);
    try {
      return await response;
    } catch (error) {
      // nothing created: retryable
      this.#responses.delete(name);
      throw error;
    }
  }
}
