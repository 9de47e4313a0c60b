type LineKind = 'game' | 'notice' | 'install';

interface NewLine {
  readonly text: string;
  readonly at: number;
  /** The panel's number; 0: none. */
  readonly seq: number;
}

/** More than between two frames. */
const retainedReplacements = 64;

/** Line numbers are stable, from `first` up to `next`; prepended ones are below 0. */
export class LineRing {
  readonly #texts: string[] = [];
  readonly #times: Float64Array;
  readonly #seqs: Float64Array;
  readonly #kinds: Uint8Array;
  /** Line -1 first. */
  #older: NewLine[] = [];
  #next = 0;
  /** The last ones. */
  readonly #replaced: number[] = [];
  #replacements = 0;

  constructor(readonly capacity: number) {
    this.#times = new Float64Array(capacity);
    this.#seqs = new Float64Array(capacity);
    this.#kinds = new Uint8Array(capacity);
  }

  get first(): number {
    return Math.max(0 - this.#older.length, this.#next - this.capacity);
  }

  get next(): number {
    return this.#next;
  }

  /** Ever. */
  get replacements(): number {
    return this.#replacements;
  }

  /** The first line among those that were replaced after so many replacements. */
  replacedAfter(replacements: number): number {
    const count = Math.min(this.#replacements - replacements, retainedReplacements);
    return count === 0 ? this.#next : Math.min(...this.#replaced.slice(-count));
  }

  append(text: string, at: number, kind: LineKind = 'game', seq = 0): void {
    this.#write(this.#next, { text, at, seq }, kind);
    this.#next += 1;
    if (this.#older.length > 0) this.#older.length = Math.min(this.#older.length, -this.first);
  }

  /** Of the game. False: the line is forgotten. */
  replace(line: number, { text, at, seq }: NewLine): boolean {
    if (line < Math.max(0, this.first) || line >= this.#next) return false;
    this.#write(line, { text, at, seq }, 'game');
    this.#replacements += 1;
    this.#replaced.push(line);
    if (this.#replaced.length > retainedReplacements) this.#replaced.shift();
    return true;
  }

  #write(line: number, { text, at, seq }: NewLine, kind: LineKind): void {
    const slot = line % this.capacity;
    this.#texts[slot] = text;
    this.#times[slot] = at;
    this.#seqs[slot] = seq;
    this.#kinds[slot] = kinds.indexOf(kind);
  }

  /** Prepends lines, oldest first, up to the capacity. */
  prepend(lines: readonly NewLine[]): void {
    const room = this.capacity - (this.#next - this.first);
    this.#older.push(...lines.slice(Math.max(0, lines.length - room)).reverse());
  }

  /** With terminal escapes. */
  rawAt(line: number): string {
    return (line < 0 ? this.#older[-line - 1]?.text : this.#texts[line % this.capacity]) ?? '';
  }

  timeAt(line: number): number {
    return (line < 0 ? this.#older[-line - 1]?.at : this.#times[line % this.capacity]) ?? 0;
  }

  seqAt(line: number): number {
    return (line < 0 ? this.#older[-line - 1]?.seq : this.#seqs[line % this.capacity]) ?? 0;
  }

  kindAt(line: number): LineKind {
    return (line < 0 ? 'game' : kinds[this.#kinds[line % this.capacity] ?? 0]) ?? 'game';
  }

  /** Says the same as the line before it. */
  isRepeated(line: number): boolean {
    const before = line - 1;
    return before >= this.first && this.rawAt(before) === this.rawAt(line) && this.kindAt(before) === this.kindAt(line);
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
