/** Ends work on a stream that has said nothing for too long, or when `outer` aborts. */
export class Silence {
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isBroken = false;
  readonly signal: AbortSignal;

  constructor(
    private readonly ms: number,
    outer: AbortSignal,
  ) {
    this.signal = AbortSignal.any([this.#abort.signal, outer]);
    this.heard();
  }

  /** Whether it was the silence that ended the work. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isBroken = true;
      this.#abort.abort(new Error(`nothing was heard for ${this.ms} ms`));
    }, this.ms).unref();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
