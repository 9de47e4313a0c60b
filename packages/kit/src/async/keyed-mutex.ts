/** Runs tasks of one key one after the other, and tasks of different keys at the same time. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>();

  /** Resolves or rejects with the result of `task`. A failed task does not stop the next one of its key. */
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
