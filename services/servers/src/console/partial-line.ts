import { LineSplitter, type OutputLine } from './line-splitter.js';

/** Rows of one unfinished line that are remembered. */
const maxRows = 200;

/** Text without a line end, and what of it was not shown yet. */
export interface PartialText extends OutputLine {
  readonly rest: string;
}

/**
 * What has been shown of the line in progress before its end. A reader who saw a prompt gets the rest of its line when that
 * ends: nothing twice, and the number that the line has without a pause.
 */
export class PartialLine {
  /** Rows within the line that were shown whole. */
  #rows: string[] = [];
  /** Shown of the row in progress. */
  #shown = '';
  /** Reads what the engine lets be seen before its log has it. */
  #ahead = { splitter: new LineSplitter(), bytes: Buffer.alloc(0) };

  /** The row in progress; returns what of it is new. */
  advance({ text, isShown }: OutputLine): string {
    if (!isShown) return text;
    const rest = this.#restOf(text);
    this.#shown = text;
    return rest;
  }

  /** All bytes of the line in progress, which will come once more with its end. Returns what they add. */
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

  /** A row or line has come with its end; returns what of it was not shown. */
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
