/** How long a lost response may be requested again. */
const retentionMs = 10 * 60_000;
/** Of all servers of the node. */
const maxRetained = 10_000;

/**
 * Runs a creating call once per idempotency id: a repeated or parallel call gets the first response. This is memory of the
 * process; after its death the `CreationJournal` answers.
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
      // nothing was created: it may be tried again
      this.#responses.delete(name);
      throw error;
    }
  }

  /** The oldest go first: a map keeps the order of insertion. */
  #keep(name: string, response: Promise<T>): void {
    this.#responses.delete(name);
    for (const [oldest, { until }] of this.#responses) {
      if (until > this.#monotonicMs() && this.#responses.size < maxRetained) break;
      this.#responses.delete(oldest);
    }
    this.#responses.set(name, { response, until: this.#monotonicMs() + retentionMs });
  }
}
