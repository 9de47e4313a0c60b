import { LineSplitter, type OutputLine } from './line-splitter.js';

const maxRows = 200;

/** `rest` is not shown yet. */
export interface PartialText extends OutputLine {
  readonly rest: string;
}

/** After a prompt a reader gets only the rest of the line, under its usual number. */
export class PartialLine {
  /** Shown whole. */
  #rows: string[] = [];
  /** Shown part of the current row. */
  #shown = '';
  /** For output that is not in the engine's log yet. */
  #ahead = { splitter: new LineSplitter(), bytes: Buffer.alloc(0) };

  /** Returns the new part. */
  advance({ text, isShown }: OutputLine): string {
    if (!isShown) return text;
    const rest = this.#restOf(text);
    this.#shown = text;
    return rest;
  }

  /** Takes the whole unfinished line, which comes again at its end. Returns the new parts. */
  preview(bytes: Buffer): PartialText[] {
    const known = this.#ahead.bytes;
    const isContinued = known.length <= bytes.length && bytes.subarray(0, known.length).equals(known);
    if (!isContinued) this.#ahead.splitter = new LineSplitter();
    this.#ahead.bytes = Buffer.from(bytes);
    const { splitter } = this.#ahead;
    const added = splitter.push(bytes.subarray(isContinued ? known.length : 0)).map((line) => this.#endRow(line));
    const last = splitter.peek();
    return last === null ? added : [...added, { ...last, rest: this.advance(last) }];
  }

  /** Of the preview; null: it is not redrawn. */
  redrawn(): string | null {
    return this.#ahead.splitter.redrawn();
  }

  /** Returns the part not shown. */
  complete(text: string): string {
    if (this.#ahead.bytes.length > 0) this.#ahead = { splitter: new LineSplitter(), bytes: Buffer.alloc(0) };
    if (this.#shown === '' && this.#rows.length === 0) return text;
    const at = this.#rows.indexOf(text);
    if (at !== -1) {
      this.#rows.splice(0, at + 1);
      return '';
    }
    const rest = this.#restOf(text);
    this.#rows = [];
    this.#shown = '';
    return rest;
  }

  #endRow(line: OutputLine): PartialText {
    const rest = this.#restOf(line.text);
    this.#shown = '';
    if (line.isShown && this.#rows.length < maxRows) this.#rows.push(line.text);
    return { ...line, rest };
  }

  #restOf(text: string): string {
    return text.startsWith(this.#shown) ? text.slice(this.#shown.length) : text;
  }
}
