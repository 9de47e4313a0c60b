/** Aborts a silent stream, or with `outer`. */
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
