/** The longest line anybody is sent, in bytes of UTF-8, with its mark. */
export const maxLineBytes = 8 * 1024;
const cutMark = ' … [cut]';
const maxTextBytes = maxLineBytes - Buffer.byteLength(cutMark);
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Makes lines of what a game writes. A line ends at LF or CR LF; what stands before a lone CR is overwritten, as on a
 * terminal; a line longer than 8 KiB is cut with a mark and the rest of it dropped; bytes that are not UTF-8 become
 * U+FFFD. Memory is bounded whatever comes.
 */
export class LineSplitter {
  #pending = Buffer.alloc(0);
  /** The current line has been sent cut, or sent as far as it went. */
  #isSkipping = false;
  #wasFlushed = false;

  /** Whether nothing is held back: a position at which reading can begin again. */
  get isAtLineStart(): boolean {
    return this.#pending.length === 0 && !this.#isSkipping;
  }

  /** The lines that a piece of output completes. */
  push(data: Buffer): string[] {
    const lines: string[] = [];
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
   * What stands there without a line end, when nothing has come for a while (a prompt): as a line of its own. What comes
   * next begins another one; a bare line end after it is not an empty line.
   */
  flush(): string | null {
    if (this.#pending.length === 0 || this.#isSkipping) return null;
    const wholeLength = wholeCharacters(this.#pending);
    const text = decode(this.#pending.subarray(0, wholeLength));
    this.#pending = this.#pending.subarray(wholeLength);
    if (text === '') return null;
    this.#wasFlushed = true;
    return text;
  }

  #append(part: Buffer, lines: string[]): void {
    if (this.#isSkipping || part.length === 0) return;
    this.#pending = this.#pending.length === 0 ? Buffer.from(part) : Buffer.concat([this.#pending, part]);
    if (this.#pending.length <= maxLineBytes) return;
    const visible = afterOverwriting(this.#pending);
    if (visible.length <= maxLineBytes) {
      this.#pending = Buffer.from(visible);
      return;
    }
    lines.push(decode(visible));
    this.#pending = Buffer.alloc(0);
    this.#isSkipping = true;
  }

  #endLine(lines: string[]): void {
    const text = decode(this.#pending);
    if (!this.#isSkipping && !(this.#wasFlushed && text === '')) lines.push(text);
    this.#pending = Buffer.alloc(0);
    this.#isSkipping = false;
    this.#wasFlushed = false;
  }
}

function withoutTrailingReturns(line: Buffer): Buffer {
  let end = line.length;
  while (end > 0 && line[end - 1] === carriageReturn) end--;
  return line.subarray(0, end);
}

function afterOverwriting(line: Buffer): Buffer {
  const text = withoutTrailingReturns(line);
  return text.subarray(text.lastIndexOf(carriageReturn) + 1);
}

function decode(line: Buffer): string {
  const visible = afterOverwriting(line);
  const text = visible.subarray(0, maxLineBytes + 1).toString('utf8');
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
