import { type MonotonicClock, monotonicClock } from '@panel/kit/async';

/** Of a request stream, up to 64 KiB each: a peer that has not begun the call takes no more. */
const maxRetained = 16;
/** After the begin of a try. A peer that leaves refuses it at once. */
const retainedMs = 5_000;

/** The parts of a request stream, for each try of its call from the first one on. */
export class RepeatableParts {
  readonly #source: AsyncIterator<unknown>;
  /** All that were taken, else the last one. */
  #taken: unknown[] = [];
  #count = 0;
  #isWhole = true;
  #hasEnded = false;
  #begunAt = 0;
  #taking: Promise<void> | null = null;

  constructor(
    source: AsyncIterable<unknown>,
    private readonly clock: MonotonicClock = monotonicClock,
  ) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** All parts are retained that were taken. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** One reader at a time reads on; an earlier one may still wait for its part. */
  async *read(): AsyncGenerator {
    this.#begunAt = this.clock.now();
    for (let at = 0; ; at += 1) {
      while (at >= this.#count && !this.#hasEnded) await (this.#taking ??= this.#take());
      if (at >= this.#count) return;
      yield this.#taken[this.#isWhole ? at : 0];
    }
  }

  /** The call has ended. */
  close(): void {
    this.#taken = [];
    void this.#source.return?.().catch(() => undefined);
  }

  /** Only for a reader that has had all before: what is dropped here was read. */
  async #take(): Promise<void> {
    try {
      const { done, value }: IteratorResult<unknown> = await this.#source.next();
      if (done === true) {
        this.#hasEnded = true;
        return;
      }
      this.#count += 1;
      if (this.#count > maxRetained || this.clock.now() - this.#begunAt > retainedMs) this.#isWhole = false;
      if (this.#isWhole) this.#taken.push(value);
      else this.#taken = [value];
    } finally {
      this.#taking = null;
    }
  }
}
