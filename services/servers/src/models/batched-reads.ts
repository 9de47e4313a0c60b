interface Waiting<T> {
  readonly id: string;
  readonly resolve: (found: T | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Larger ones would make every caller wait for the slowest document. */
const maxBatch = 100;
/** While one query is answered, the next one is read: neither this process nor the database waits for the other. */
const maxQueries = 2;

/**
 * Reads of single documents by id, many with one query: a trip to the database costs many times what a document does.
 * Every caller is answered from a query that began after it asked, so no read is older than with a query of
 * their own. A query begins at the end of an event-loop turn, or when one of those in progress has ended.
 */
export class BatchedReads<T> {
  #waiting: Waiting<T>[] = [];
  #queries = 0;
  #isScheduled = false;

  /** `query` resolves with what was found, by id. */
  constructor(private readonly query: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>) {}

  /** Null when there is none. Several callers may get the same object: none may change it. */
  async read(id: string): Promise<T | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queries >= maxQueries || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#answer(this.#waiting.splice(0, maxBatch));
      this.#schedule();
    });
  }

  async #answer(batch: readonly Waiting<T>[]): Promise<void> {
    this.#queries += 1;
    try {
      const found = await this.query([...new Set(batch.map(({ id }) => id))]);
      for (const { id, resolve } of batch) resolve(found.get(id) ?? null);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#queries -= 1;
      this.#schedule();
    }
  }
}
