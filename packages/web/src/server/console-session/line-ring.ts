/** Where a line comes from. Notices are the panel's own. */
type LineKind = 'game' | 'notice' | 'install';

interface OlderLine {
  readonly text: string;
  readonly at: number;
}

/**
 * The latest lines of a console. Lines have numbers that never change, from `first` up to `next`; those read afterwards have
 * numbers below 0. A line that is repeated at once is held one time, with a count.
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

  /** Number of the oldest line that is held. */
  get first(): number {
    return Math.max(0 - this.#older.length, this.#next - this.capacity);
  }

  /** Number the next line will have. */
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

  /** Put lines, oldest first, before the oldest one, as many as there is room for. */
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

  /** As it came, with terminal escapes. */
  rawAt(line: number): string {
    return (line < 0 ? this.#older[-line - 1]?.text : this.#texts[line % this.capacity]) ?? '';
  }

  timeAt(line: number): number {
    return (line < 0 ? this.#older[-line - 1]?.at : this.#times[line % this.capacity]) ?? 0;
  }

  kindAt(line: number): LineKind {
    return (line < 0 ? 'game' : kinds[this.#kinds[line % this.capacity] ?? 0]) ?? 'game';
  }

  /** How often it came in a row. */
  countAt(line: number): number {
    return (line < 0 ? this.#older[-line - 1]?.count : this.#counts[line % this.capacity]) ?? 1;
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
}

const kinds: readonly LineKind[] = ['game', 'notice', 'install'];
