export interface ConditionalUpdate {
  readonly key: string;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly update: Readonly<Record<string, unknown>>;
}

interface Waiting {
  readonly update: ConditionalUpdate;
  readonly resolve: (isApplied: boolean) => void;
  readonly reject: (error: unknown) => void;
}

const maxBatch = 200;

/** For different documents: a round trip costs many times an update. During a command the next one collects. */
export class BatchedUpdates {
  #waiting: Waiting[] = [];
  #isScheduled = false;
  #isWriting = false;

  /**
   * `write` resolves with the matched count; `findApplied` returns the applied keys, called only if some did not match.
   */
  constructor(
    private readonly write: (updates: readonly ConditionalUpdate[]) => Promise<number>,
    private readonly findApplied: (updates: readonly ConditionalUpdate[]) => Promise<ReadonlySet<string>>,
  ) {}

  /** True if the filter matched. */
  async apply(update: ConditionalUpdate): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ update, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isWriting || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#flush(this.#waiting.splice(0, maxBatch));
    });
  }

  async #flush(batch: readonly Waiting[]): Promise<void> {
    this.#isWriting = true;
    try {
      const updates = batch.map(({ update }) => update);
      const matched = await this.write(updates);
      const applied = matched === 0 || matched === batch.length ? null : await this.findApplied(updates);
      for (const { update, resolve } of batch) resolve(applied ? applied.has(update.key) : matched > 0);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#isWriting = false;
      this.#schedule();
    }
  }
}
