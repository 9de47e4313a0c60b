import { ScreenRows } from '../domain/console/screen-rows.js';
import { completeLength, findRowEnds, renderRow, visibleText } from '../domain/console/terminal-text.js';

/** Limit in UTF-8 bytes, mark included. */
export const maxLineBytes = 8 * 1024;
const cutMark = ' … [cut]';
/** Of a line that is read whole. */
export const maxWholeBytes = 1024 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const escape = 0x1b;

/** A hidden line is only matched with the egg's rules. */
export interface OutputLine {
  readonly text: string;
  readonly isShown: boolean;
}

/**
 * A line ends at LF or CR LF. A lone CR or a cursor movement ends a row; a row is a line unless it repeats shown text
 * (ScreenRows). A line over 8 KiB is cut. Invalid UTF-8 becomes U+FFFD. Memory is bounded.
 */
export class LineSplitter {
  #pending = Buffer.alloc(0);
  readonly #rows = new ScreenRows();
  #isSkipping = false;
  /** Of a line over 8 KiB that is read whole. */
  #long: Buffer[] = [];
  #longBytes = 0;

  /** `isWhole`: lines are cut at 1 MiB, and have the same numbers. */
  constructor(private readonly isWhole = false) {}

  /** Reading can restart here. */
  get isAtLineStart(): boolean {
    return this.#pending.length === 0 && !this.#isSkipping && this.#rows.isEmpty;
  }

  get hasPartialLine(): boolean {
    return this.#pending.length > 0 && !this.#isSkipping;
  }

  push(data: Buffer): OutputLine[] {
    const lines: OutputLine[] = [];
    let start = 0;
    for (let end = data.indexOf(lineFeed); end !== -1; end = data.indexOf(lineFeed, start)) {
      this.#append(data.subarray(start, end), lines);
      this.#endLine(lines);
      start = end + 1;
    }
    this.#append(data.subarray(start), lines);
    return lines;
  }

  /** A prompt. It stays buffered: the whole line comes at its end, with the same number. */
  peek(): OutputLine | null {
    const text = this.#partialText();
    return text === '' ? null : { text, isShown: this.#rows.showsPartial(text) };
  }

  /** What an unfinished line that is redrawn shows; null: there is none. */
  redrawn(): string | null {
    if (!this.#rows.isRedrawn) return null;
    const text = this.#partialText();
    return visibleText(text).trim() === '' ? null : text;
  }

  end(): OutputLine | null {
    const text = this.#partialText();
    this.#pending = Buffer.alloc(0);
    return text === '' ? null : { text, isShown: this.#rows.admitLast(text) };
  }

  #partialText(): string {
    if (!this.hasPartialLine) return '';
    const complete = completeLength(this.#pending.toString('latin1'));
    return decode(this.#pending.subarray(0, wholeCharacters(this.#pending.subarray(0, complete))));
  }

  #append(part: Buffer, lines: OutputLine[]): void {
    if (this.#isSkipping) this.#collect(part);
    if (this.#isSkipping || part.length === 0) return;
    this.#pending = this.#pending.length === 0 ? Buffer.from(part) : Buffer.concat([this.#pending, part]);
    if (this.#pending.includes(escape) || this.#pending.includes(carriageReturn)) this.#takeRows(lines);
    if (this.#pending.length <= maxLineBytes) return;
    if (this.isWhole) this.#collect(this.#pending);
    else lines.push({ text: decode(this.#pending), isShown: true });
    this.#pending = Buffer.alloc(0);
    this.#isSkipping = true;
  }

  #lineOf(row: Buffer, text: string, isShown: boolean): OutputLine {
    return { text: this.isWhole && isCut(text) ? decode(row, maxWholeBytes) : text, isShown };
  }

  #collect(part: Buffer): void {
    if (!this.isWhole || this.#longBytes > maxWholeBytes) return;
    this.#long.push(Buffer.from(part));
    this.#longBytes += part.length;
  }

  #takeRows(lines: OutputLine[]): void {
    let start = 0;
    for (const { end, next, isOverwritten } of findRowEnds(this.#pending.toString('latin1'))) {
      const row = this.#pending.subarray(start, end);
      const text = decode(row);
      start = next;
      if (text !== '') lines.push(this.#lineOf(row, text, this.#rows.admit(text, isOverwritten)));
    }
    if (start > 0) this.#pending = Buffer.from(this.#pending.subarray(start));
  }

  #endLine(lines: OutputLine[]): void {
    const text = decode(this.#pending);
    if (!this.#isSkipping) lines.push(this.#lineOf(this.#pending, text, this.#rows.admitLast(text)));
    else if (this.isWhole) lines.push({ text: decode(Buffer.concat(this.#long), maxWholeBytes), isShown: true });
    this.#long = [];
    this.#longBytes = 0;
    this.#pending = Buffer.alloc(0);
    this.#isSkipping = false;
  }
}

function withoutTrailingReturns(line: Buffer): Buffer {
  let end = line.length;
  while (end > 0 && line[end - 1] === carriageReturn) end--;
  return line.subarray(0, end);
}

function decode(line: Buffer, maxBytes = maxLineBytes): string {
  const visible = withoutTrailingReturns(line);
  const text = renderRow(visible.subarray(0, maxBytes + 1).toString('utf8'));
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const cut = bytes.subarray(0, wholeCharacters(bytes.subarray(0, maxBytes - Buffer.byteLength(cutMark))));
  return cut.toString('utf8') + cutMark;
}

export function isCut(text: string): boolean {
  return text.endsWith(cutMark);
}

/** Whether `text` is the line, read whole, that `known` may be the beginning of. */
export function isSameLine(text: string, known: string): boolean {
  return text === known || (isCut(known) && text.startsWith(known.slice(0, -cutMark.length)));
}

/** Excludes an incomplete UTF-8 character. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
