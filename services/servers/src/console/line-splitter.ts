import { ScreenRows } from '../domain/console/screen-rows.js';
import { completeLength, findRowEnds, renderRow } from '../domain/console/terminal-text.js';

/** The longest line anybody is sent, in bytes of UTF-8, with its mark. */
export const maxLineBytes = 8 * 1024;
const cutMark = ' … [cut]';
const maxTextBytes = maxLineBytes - Buffer.byteLength(cutMark);
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const escape = 0x1b;

/** A line of output; one that is not shown is only compared with the rules of the egg. */
export interface OutputLine {
  readonly text: string;
  readonly isShown: boolean;
}

/**
 * Makes lines of what a game writes. A line ends at LF or CR LF. A lone CR and a movement of the cursor end a row: rows
 * are lines too, except those that only repeat what was shown (see ScreenRows). A line longer than 8 KiB is cut with a
 * mark and the rest of it dropped; bytes that are not UTF-8 become U+FFFD. Memory is bounded whatever comes.
 */
export class LineSplitter {
  #pending = Buffer.alloc(0);
  readonly #rows = new ScreenRows();
  /** The current line has been sent cut. */
  #isSkipping = false;

  /** Whether nothing is held back: a position at which reading can begin again. */
  get isAtLineStart(): boolean {
    return this.#pending.length === 0 && !this.#isSkipping && this.#rows.isEmpty;
  }

  /** Whether there is text without a line end. */
  get hasPartialLine(): boolean {
    return this.#pending.length > 0 && !this.#isSkipping;
  }

  /** The lines that a piece of output completes. */
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

  /**
   * What stands there without a line end, when nothing has come for a while (a prompt). Nothing is taken: the line comes
   * whole when it ends, with the same number however often the game paused within it.
   */
  peek(): OutputLine | null {
    const text = this.#partialText();
    return text === '' ? null : { text, isShown: this.#rows.showsPartial(text) };
  }

  /** What stands there without a line end, as the last line of the output. */
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
    if (this.#isSkipping || part.length === 0) return;
    this.#pending = this.#pending.length === 0 ? Buffer.from(part) : Buffer.concat([this.#pending, part]);
    if (this.#pending.includes(escape) || this.#pending.includes(carriageReturn)) this.#takeRows(lines);
    if (this.#pending.length <= maxLineBytes) return;
    lines.push({ text: decode(this.#pending), isShown: true });
    this.#pending = Buffer.alloc(0);
    this.#isSkipping = true;
  }

  /** Take the rows that have ended from the pending output. */
  #takeRows(lines: OutputLine[]): void {
    let start = 0;
    for (const { end, next, isOverwritten } of findRowEnds(this.#pending.toString('latin1'))) {
      const text = decode(this.#pending.subarray(start, end));
      start = next;
      if (text !== '') lines.push({ text, isShown: this.#rows.admit(text, isOverwritten) });
    }
    if (start > 0) this.#pending = Buffer.from(this.#pending.subarray(start));
  }

  #endLine(lines: OutputLine[]): void {
    const text = decode(this.#pending);
    if (!this.#isSkipping) lines.push({ text, isShown: this.#rows.admitLast(text) });
    this.#pending = Buffer.alloc(0);
    this.#isSkipping = false;
  }
}

function withoutTrailingReturns(line: Buffer): Buffer {
  let end = line.length;
  while (end > 0 && line[end - 1] === carriageReturn) end--;
  return line.subarray(0, end);
}

function decode(line: Buffer): string {
  const visible = withoutTrailingReturns(line);
  const text = renderRow(visible.subarray(0, maxLineBytes + 1).toString('utf8'));
  const bytes = Buffer.from(text);
  if (bytes.length <= maxLineBytes) return text;
  const cut = bytes.subarray(0, wholeCharacters(bytes.subarray(0, maxTextBytes)));
  return cut.toString('utf8') + cutMark;
}

/** Length of the part that does not end in the middle of a UTF-8 character. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
