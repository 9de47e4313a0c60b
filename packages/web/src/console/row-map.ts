import type { LineRing } from '../server/console-session/line-ring.js';

export interface Row {
  readonly line: number;
  /** Index among the rows of a wrapped line. */
  readonly part: number;
}

interface RowOptions {
  /** Null: all lines. */
  readonly filter: ((line: number) => boolean) | null;
  /** 0: no wrapping. */
  readonly columns: number;
  /** Lines around each match. */
  readonly context?: number;
  /** Consecutive equal lines are one row with a count. */
  readonly isFolded?: boolean;
}

/** All or filtered lines of a ring, wrapped or not, folded or not. Finds a row in logarithmic time. */
export class RowMap {
  #filter: ((line: number) => boolean) | null = null;
  #columns = 0;
  #context = 0;
  #isFolded = false;
  /** Of folded lines, by the first of them. */
  #counts = new Map<number, number>();
  #folding = 0;
  /** Last context line of a preceding match. */
  #contextUntil = 0;
  #lengthOf: (line: number) => number;
  /** Displayed lines; unused without a filter or wrapping. */
  #lines: number[] = [];
  /** Cumulative row counts since the last rebuild. */
  #ends: number[] = [];
  #head = 0;
  #scanned = 0;

  constructor(
    readonly ring: LineRing,
    lengthOf: (line: number) => number,
  ) {
    this.#lengthOf = lengthOf;
  }

  configure({ filter, columns, context = 0, isFolded = false }: RowOptions): void {
    this.#filter = filter;
    this.#columns = columns;
    this.#context = context;
    this.#isFolded = isFolded;
    this.rebuild();
  }

  rebuild(): void {
    this.#lines = [];
    this.#ends = [];
    this.#head = 0;
    this.#counts = new Map();
    this.#scanned = this.ring.first;
    this.#contextUntil = this.ring.first - 1;
    this.update();
  }

  get #isIdentity(): boolean {
    return this.#filter === null && this.#columns === 0 && !this.#isFolded;
  }

  /** Returns the number of rows removed at the start. */
  update(): number {
    const { ring } = this;
    if (this.#isIdentity) {
      const lost = Math.max(0, ring.first - this.#scanned);
      this.#scanned = Math.max(this.#scanned, ring.first);
      return lost;
    }
    const before = this.#base;
    while (this.#head < this.#lines.length && (this.#lines[this.#head] ?? 0) < ring.first) this.#head += 1;
    const lost = this.#base - before;
    // The whole ring repeats a line that it has forgotten.
    if (this.#isFolded && this.#head === this.#lines.length && this.#folding < ring.first) this.#scanned = ring.first;
    for (let line = Math.max(this.#scanned, ring.first); line < ring.next; line++) {
      if (this.#isFolded && this.#lines.length > this.#head && ring.isRepeated(line)) {
        this.#counts.set(this.#folding, line - this.#folding + 1);
        continue;
      }
      this.#folding = line;
      if (this.#filter?.(line)) {
        const shown = this.#lines.at(-1) ?? ring.first - 1;
        for (let before = Math.max(shown + 1, ring.first, line - this.#context); before < line; before++)
          this.#add(before);
        this.#contextUntil = line + this.#context;
      } else if (this.#filter && line > this.#contextUntil) continue;
      this.#add(line);
    }
    this.#scanned = ring.next;
    if (this.#head > 50_000) this.#compact();
    return lost;
  }

  #add(line: number): void {
    const height = this.#columns === 0 ? 1 : Math.max(1, Math.ceil(this.#lengthOf(line) / this.#columns));
    this.#ends.push((this.#ends.at(-1) ?? 0) + height);
    this.#lines.push(line);
  }

  /** From `line` on, which says something else now. */
  rewind(line: number): void {
    if (this.#isIdentity || line >= this.#scanned) return;
    while (this.#lines.length > this.#head && (this.#lines.at(-1) ?? -Infinity) >= line) {
      this.#lines.pop();
      this.#ends.pop();
    }
    this.#contextUntil = Math.min(this.#contextUntil, line - 1);
    if (this.#isFolded) this.#foldUpTo(line);
    this.#scanned = Math.max(this.ring.first, line);
  }

  #foldUpTo(line: number): void {
    this.#folding = line - 1;
    while (this.ring.isRepeated(this.#folding)) this.#folding -= 1;
    this.#counts.delete(line);
    this.#counts.set(this.#folding, line - this.#folding);
  }

  /** Of equal lines in this row. */
  countAt(line: number): number {
    return this.#counts.get(line) ?? 1;
  }

  get #base(): number {
    return this.#head === 0 ? 0 : (this.#ends[this.#head - 1] ?? 0);
  }

  #compact(): void {
    const base = this.#base;
    this.#lines = this.#lines.slice(this.#head);
    this.#ends = this.#ends.slice(this.#head).map((end) => end - base);
    this.#head = 0;
  }

  get count(): number {
    if (this.#isIdentity) return this.ring.next - this.ring.first;
    return (this.#ends.at(-1) ?? 0) - this.#base;
  }

  rowAt(index: number): Row {
    if (this.#isIdentity) return { line: this.ring.first + index, part: 0 };
    const wanted = index + this.#base;
    let low = this.#head;
    let high = this.#ends.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] ?? 0) <= wanted) low = middle + 1;
      else high = middle;
    }
    const start = low === 0 ? 0 : (this.#ends[low - 1] ?? 0);
    return { line: this.#lines[low] ?? 0, part: wanted - start };
  }

  /** Or of the next displayed line. */
  indexOf(line: number): number {
    if (this.#isIdentity) return Math.max(0, line - this.ring.first);
    let low = this.#head;
    let high = this.#lines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#lines[middle] ?? 0) < line) low = middle + 1;
      else high = middle;
    }
    return (low === 0 ? 0 : (this.#ends[low - 1] ?? 0)) - this.#base;
  }
}
