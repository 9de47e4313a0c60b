import { fail } from '../../reasons.js';

/** Exceeds the longest token. */
const lookahead = 32;
/** max_allowed_packet of Debian and the engines' defaults. */
const maxStatementBytes = 64 * 1024 * 1024;
/** Of a DELIMITER command. */
const maxCommandBytes = 64 * 1024;

type Inside = 'statement' | 'single' | 'double' | 'backtick' | 'line_comment' | 'block_comment';

const codeOf = (character: string) => character.charCodeAt(0);
const [hash, dash, slash, star, bang, mariaDb, backslash] = ['#', '-', '/', '*', '!', 'M', '\\'].map(codeOf);
const quotes: ReadonlyMap<number, Inside> = new Map([
  [codeOf("'"), 'single'],
  [codeOf('"'), 'double'],
  [codeOf('`'), 'backtick'],
]);
const ends = { backtick: Buffer.from('`'), line_comment: Buffer.from('\n'), block_comment: Buffer.from('*/') } as const;
/** Ends a text or escapes its next character. */
const stops = { single: setOf("'\\"), double: setOf('"\\') } as const;
const blanks = setOf(' \t\n\v\f\r');

/**
 * Splits as the engines' client. Client commands (files, shell, other hosts) are no statements: the host rejects them.
 * Statements are latin1, one character per byte.
 */
export class SqlSplitter {
  /** Of the current statement. */
  #scanned: Buffer[] = [];
  #scannedBytes = 0;
  #bytes: Buffer = Buffer.alloc(0);
  /** In `#bytes`; behind its end after a `\` there. */
  #at = 0;
  #inside: Inside = 'statement';
  #delimiter: Buffer = Buffer.from(';');
  #specials = specialsOf(';');
  #isBlank = true;

  /** Keeps `chunk`. Throws DATABASE_DUMP_LIMIT. */
  *push(chunk: Buffer): Generator<string> {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    yield* this.#scan(false);
    const scanned = this.#bytes.subarray(0, this.#at);
    this.#scanned.push(scanned);
    this.#scannedBytes += scanned.length;
    this.#bytes = this.#bytes.subarray(scanned.length);
    this.#at -= scanned.length;
    if (this.#scannedBytes + this.#bytes.length > maxStatementBytes) throw tooLong('statement', maxStatementBytes);
  }

  *end(): Generator<string> {
    yield* this.#scan(true);
    const last = this.#take(this.#bytes.length);
    if (last !== '') yield last;
  }

  *#scan(isFinal: boolean): Generator<string> {
    while (this.#at < this.#bytes.length) {
      if (!isFinal && this.#bytes.length - this.#at < lookahead) return;
      if (this.#inside !== 'statement') this.#skipInside(this.#inside, isFinal);
      else if (this.#isBlank && this.#isCommand()) {
        if (!this.#readDelimiter(isFinal)) return;
      } else if (this.#isAt(this.#delimiter)) {
        const statement = this.#take(this.#at);
        this.#cut(this.#at + this.#delimiter.length);
        if (statement !== '') yield statement;
      } else this.#step();
    }
  }

  #skipInside(inside: Exclude<Inside, 'statement'>, isFinal: boolean): void {
    if (inside === 'single' || inside === 'double') {
      this.#skipText(stops[inside]);
      return;
    }
    const end = ends[inside];
    const found = this.#bytes.indexOf(end, this.#at);
    if (found !== -1) {
      this.#at = found + end.length;
      this.#inside = 'statement';
    } else {
      // the last byte may be half of an end
      this.#at = isFinal ? this.#bytes.length : Math.max(this.#at, this.#bytes.length - (end.length - 1));
    }
  }

  #skipText(stop: Uint8Array): void {
    for (;;) {
      this.#at = this.#next(stop);
      if (this.#at >= this.#bytes.length) return;
      if (this.#bytes[this.#at] === backslash) this.#at += 2;
      else {
        this.#at += 1;
        this.#inside = 'statement';
        return;
      }
    }
  }

  /** Over a character and the plain ones behind it. */
  #step(): void {
    const character = this.#bytes[this.#at] ?? 0;
    const quoted = quotes.get(character);
    if (quoted !== undefined) {
      this.#inside = quoted;
      this.#isBlank = false;
    } else if (this.#isLineComment(character)) this.#inside = 'line_comment';
    else if (this.#isBlockComment(character)) {
      this.#inside = 'block_comment';
      this.#at += 1;
    } else if (blanks[character] === 0) this.#isBlank = false;
    this.#at += 1;
    // a blank statement may continue with a command
    if (this.#inside === 'statement' && !this.#isBlank) this.#at = this.#next(this.#specials);
  }

  #isLineComment(character: number): boolean {
    if (character === hash) return true;
    if (character !== dash || this.#bytes[this.#at + 1] !== dash) return false;
    const third = this.#bytes[this.#at + 2];
    return third === undefined || blanks[third] === 1;
  }

  /** Not `/*!` and `/*M!`, which are part of the statement for some versions. */
  #isBlockComment(character: number): boolean {
    if (character !== slash || this.#bytes[this.#at + 1] !== star) return false;
    const third = this.#bytes[this.#at + 2];
    return third !== bang && !(third === mariaDb && this.#bytes[this.#at + 3] === bang);
  }

  /** The end without one. */
  #next(wanted: Uint8Array): number {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < bytes.length && wanted[bytes[at] ?? 0] === 0) at += 1;
    return at;
  }

  #isAt(text: Buffer): boolean {
    for (let i = 0; i < text.length; i += 1) if (this.#bytes[this.#at + i] !== text[i]) return false;
    return true;
  }

  #isCommand(): boolean {
    // "d" or "D"
    if (((this.#bytes[this.#at] ?? 0) | 0x20) !== 0x64) return false;
    return /^delimiter[ \t]/i.test(this.#bytes.toString('latin1', this.#at, this.#at + 10));
  }

  /** False for an incomplete line. Throws DATABASE_DUMP_LIMIT. */
  #readDelimiter(isFinal: boolean): boolean {
    const lineEnd = this.#bytes.indexOf('\n', this.#at);
    if (lineEnd === -1 && !isFinal) {
      if (this.#bytes.length - this.#at > maxCommandBytes) throw tooLong('command', maxCommandBytes);
      return false;
    }
    const line = this.#bytes.toString('latin1', this.#at, lineEnd === -1 ? this.#bytes.length : lineEnd);
    const [, delimiter] = /^delimiter[ \t]+(\S{1,16})/i.exec(line) ?? [];
    if (delimiter !== undefined) {
      this.#delimiter = Buffer.from(delimiter, 'latin1');
      this.#specials = specialsOf(delimiter);
    }
    this.#cut(lineEnd === -1 ? this.#bytes.length : lineEnd + 1);
    return true;
  }

  /** The statement up to `end`, without blanks around it. */
  #take(end: number): string {
    const last = this.#bytes.subarray(0, end);
    const bytes = this.#scannedBytes === 0 ? last : Buffer.concat([...this.#scanned, last]);
    let [from, to] = [0, bytes.length];
    while (from < to && blanks[bytes[from] ?? 0] === 1) from += 1;
    while (to > from && blanks[bytes[to - 1] ?? 0] === 1) to -= 1;
    return bytes.toString('latin1', from, to);
  }

  #cut(at: number): void {
    this.#scanned = [];
    this.#scannedBytes = 0;
    this.#bytes = this.#bytes.subarray(at);
    this.#at = 0;
    this.#isBlank = true;
  }
}

/** Characters that may begin something in a statement. */
function specialsOf(delimiter: string): Uint8Array {
  return setOf(`'"\`#-/${delimiter.slice(0, 1)}`);
}

function setOf(characters: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const character of characters) set[codeOf(character)] = 1;
  return set;
}

function tooLong(what: string, limit: number) {
  return fail('DATABASE_DUMP_LIMIT', `a ${what} of the dump is too long`, { limit_bytes: limit });
}
