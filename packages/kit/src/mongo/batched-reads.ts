interface Waiting<T> {
  readonly id: string;
  readonly resolve: (found: T | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Limits the wait for the slowest document. */
const maxBatch = 100;
/** The next query overlaps a reply. */
const maxQueries = 2;

/**
 * A round trip costs many times a document. Queries start after their callers' requests, at the end of an event-loop
 * turn or after a running one: no read is staler than its own query.
 */
export class BatchedReads<T> {
  #waiting: Waiting<T>[] = [];
  #queries = 0;
  #isScheduled = false;

  /** `query` resolves by id. */
  constructor(private readonly query: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>) {}

  /** Callers share the object and must not change it. */
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
