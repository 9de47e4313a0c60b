/** As long as a prompt: most lines have ended by then. */
const firstMs = 100;
/** Enough for a bar that moves. */
const everyMs = 250;

/** States of a line that is redrawn: the newest one, at most four a second. */
export class Redraws {
  #next: string | null = null;
  #shown = '';
  #shownAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly show: (text: string) => void) {}

  /** Null: no line is redrawn. */
  update(text: string | null): void {
    if (text === null) return this.#clear();
    this.#next = text;
    const waitMs = Math.max(firstMs, this.#shownAt + everyMs - performance.now());
    this.#timer ??= setTimeout(() => this.#showNext(), waitMs).unref();
  }

  /** `shown` was shown as a line. */
  end(shown: string): void {
    this.#clear();
    this.#shown = shown;
  }

  #showNext(): void {
    const next = this.#next;
    this.#clear();
    if (next === null || next === this.#shown) return;
    this.#shown = next;
    this.#shownAt = performance.now();
    this.show(next);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#next = null;
  }
}
