/** Ends work on a stream that has sent nothing for too long, or when `outer` aborts. */
export class IdleTimeout {
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #hasExpired = false;
  readonly signal: AbortSignal;

  constructor(
    private readonly ms: number,
    outer: AbortSignal,
  ) {
    this.signal = AbortSignal.any([this.#abort.signal, outer]);
    this.reset();
  }

  /** Whether the timeout ended the work. */
  get hasExpired(): boolean {
    return this.#hasExpired;
  }

  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#hasExpired = true;
      this.#abort.abort(new Error(`nothing was heard for ${this.ms} ms`));
    }, this.ms).unref();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
