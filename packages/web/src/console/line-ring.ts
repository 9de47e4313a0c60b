/** Where a line comes from. Notices are the panel's own. */
export type LineKind = 'game' | 'notice' | 'install';

/** The latest lines of a console. Lines have numbers that never change, from `first` up to `next`. */
export class LineRing {
  readonly #texts: string[] = [];
  readonly #times: Float64Array;
  readonly #kinds: Uint8Array;
  #next = 0;

  constructor(readonly capacity: number) {
    this.#times = new Float64Array(capacity);
    this.#kinds = new Uint8Array(capacity);
  }

  /** Number of the oldest line that is held. */
  get first(): number {
    return Math.max(0, this.#next - this.capacity);
  }

  /** Number the next line will have. */
  get next(): number {
    return this.#next;
  }

  append(text: string, at: number, kind: LineKind = 'game'): void {
    const slot = this.#next % this.capacity;
    this.#texts[slot] = text;
    this.#times[slot] = at;
    this.#kinds[slot] = kinds.indexOf(kind);
    this.#next += 1;
  }

  /** As it came, with terminal escapes. */
  rawAt(line: number): string {
    return this.#texts[line % this.capacity] ?? '';
  }

  timeAt(line: number): number {
    return this.#times[line % this.capacity] ?? 0;
  }

  kindAt(line: number): LineKind {
    return kinds[this.#kinds[line % this.capacity] ?? 0] ?? 'game';
  }

  /** Number of the first line that is not older than `at`. */
  lineAt(at: number): number {
    let low = this.first;
    let high = this.#next;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.timeAt(middle) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  clear(): void {
    this.#texts.length = 0;
    this.#next = 0;
  }
}

const kinds: readonly LineKind[] = ['game', 'notice', 'install'];
