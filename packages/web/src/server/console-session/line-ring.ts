type LineKind = 'game' | 'notice' | 'install';

interface OlderLine {
  readonly text: string;
  readonly at: number;
}

/**
 * Line numbers are stable, from `first` up to `next`; prepended ones are below 0. A repeated line is stored once with a
 * count.
 */
export class LineRing {
  readonly #texts: string[] = [];
  readonly #times: Float64Array;
  readonly #kinds: Uint8Array;
  readonly #counts: Uint32Array;
  /** Line -1 first. */
  #older: (OlderLine & { count: number })[] = [];
  #next = 0;

  constructor(readonly capacity: number) {
    this.#times = new Float64Array(capacity);
    this.#kinds = new Uint8Array(capacity);
    this.#counts = new Uint32Array(capacity);
  }

  get first(): number {
    return Math.max(0 - this.#older.length, this.#next - this.capacity);
  }

  get next(): number {
    return this.#next;
  }

  append(text: string, at: number, kind: LineKind = 'game'): void {
    const last = (this.#next + this.capacity - 1) % this.capacity;
    if (this.#next > 0 && this.#texts[last] === text && this.#kinds[last] === kinds.indexOf(kind)) {
      this.#counts[last] = (this.#counts[last] ?? 0) + 1;
      return;
    }
    const slot = this.#next % this.capacity;
    this.#texts[slot] = text;
    this.#times[slot] = at;
    this.#kinds[slot] = kinds.indexOf(kind);
    this.#counts[slot] = 1;
    this.#next += 1;
    if (this.#older.length > 0) this.#older.length = Math.min(this.#older.length, -this.first);
  }

  /** Prepends lines, oldest first, up to the capacity. */
  prepend(lines: readonly OlderLine[]): void {
    const room = this.capacity - (this.#next - this.first);
    const folded: (OlderLine & { count: number })[] = [];
    for (const line of lines) {
      const last = folded.at(-1);
      if (last?.text === line.text) last.count += 1;
      else folded.push({ ...line, count: 1 });
    }
    this.#older.push(...folded.slice(Math.max(0, folded.length - room)).reverse());
  }

  /** With terminal escapes. */
  rawAt(line: number): string {
    return (line < 0 ? this.#older[-line - 1]?.text : this.#texts[line % this.capacity]) ?? '';
  }

  timeAt(line: number): number {
    return (line < 0 ? this.#older[-line - 1]?.at : this.#times[line % this.capacity]) ?? 0;
  }

  kindAt(line: number): LineKind {
    return (line < 0 ? 'game' : kinds[this.#kinds[line % this.capacity] ?? 0]) ?? 'game';
  }

  /** Consecutive repetitions. */
  countAt(line: number): number {
    return (line < 0 ? this.#older[-line - 1]?.count : this.#counts[line % this.capacity]) ?? 1;
  }

  /** The first line not older than `at`. */
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
}

const kinds: readonly LineKind[] = ['game', 'notice', 'install'];
