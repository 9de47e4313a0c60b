/** Runs tasks of one key in order, of different keys concurrently. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>();

  /** Settles as `task`. A failure does not stop the key's next task. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const previous = this.#tails.get(key) ?? Promise.resolve();
    const result = previous.then(task);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.#tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
