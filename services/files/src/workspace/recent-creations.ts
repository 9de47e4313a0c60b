/** For repeats after a lost response. */
const retentionMs = 10 * 60_000;
/** Per node. */
const maxRetained = 10_000;

/**
 * Repeated and parallel calls of an idempotency id share a response. In memory; after a crash the `CreationJournal`
 * applies.
 */
export class RecentCreations<T> {
  readonly #responses = new Map<string, { readonly response: Promise<T>; readonly until: number }>();

  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
  }

  async once(serverId: string, idempotencyId: string | undefined, make: () => Promise<T>): Promise<T> {
    if (idempotencyId === undefined) return make();
    const name = `${serverId} ${idempotencyId}`;
    const earlier = this.#responses.get(name);
    if (earlier && earlier.until > this.#monotonicMs()) return earlier.response;
    const response = make();
    this.#keep(name, response);
    try {
      return await response;
    } catch (error) {
      // nothing created: retryable
      this.#responses.delete(name);
      throw error;
    }
  }

  /** Evicts oldest first (insertion order). */
  #keep(name: string, response: Promise<T>): void {
    this.#responses.delete(name);
    for (const [oldest, { until }] of this.#responses) {
      if (until > this.#monotonicMs() && this.#responses.size < maxRetained) break;
      this.#responses.delete(oldest);
    }
    this.#responses.set(name, { response, until: this.#monotonicMs() + retentionMs });
  }
}
