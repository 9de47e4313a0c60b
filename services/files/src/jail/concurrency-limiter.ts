/** Runs at most `limit` tasks at the same time; the others wait in the order they came. */
export class ConcurrencyLimiter {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await task();
    } finally {
      // the slot passes directly to the next in line, so that no newcomer overtakes it
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
