import { fail } from '../../reasons.js';

/** Exceeds the longest token. */
const lookahead = 32;
/** max_allowed_packet of Debian and the engines' defaults. */
const maxStatementBytes = 64 * 1024 * 1024;
/** Each join copies all text. */
const joinedBytes = 1024 * 1024;

type Inside = 'statement' | 'single' | 'double' | 'backtick' | 'line_comment' | 'block_comment';
const ends = { single: "'", double: '"', backtick: '`', line_comment: '\n', block_comment: '*/' } as const;
const quotes: Readonly<Record<string, Inside>> = { "'": 'single', '"': 'double', '`': 'backtick' };

/**
 * Splits as the engines' client. Client commands (files, shell, other hosts) are no statements: the host rejects them.
 * Text is latin1, one character per byte.
 */
export class SqlSplitter {
  #text = '';
  /** Follows `#text`. */
  #pending = '';
  #at = 0;
  #inside: Inside = 'statement';
  #delimiter = ';';
  #isBlank = true;

  /** Throws DATABASE_DUMP_LIMIT. */
  *push(chunk: string): Generator<string> {
    this.#pending += chunk;
    if (this.#pending.length < Math.min(this.#text.length, joinedBytes)) return;
    this.#join();
    yield* this.#scan(false);
    if (this.#text.length > maxStatementBytes) {
      throw fail('DATABASE_DUMP_LIMIT', 'a statement of the dump is too long', { limit_bytes: maxStatementBytes });
    }
  }

  *end(): Generator<string> {
    this.#join();
    yield* this.#scan(true);
    const last = this.#text.trim();
    if (last !== '') yield last;
    this.#text = '';
  }

  *#scan(isFinal: boolean): Generator<string> {
    while (this.#at < this.#text.length) {
      if (!isFinal && this.#text.length - this.#at < lookahead) return;
      if (this.#inside !== 'statement') this.#skipInside(this.#inside, isFinal);
      else if (this.#isBlank && /^delimiter[ \t]/i.test(this.#text.slice(this.#at, this.#at + 10))) {
        if (!this.#readDelimiter(isFinal)) return;
      } else if (this.#text.startsWith(this.#delimiter, this.#at)) {
        const statement = this.#text.slice(0, this.#at).trim();
        this.#cut(this.#at + this.#delimiter.length);
        if (statement !== '') yield statement;
      } else this.#step();
    }
  }

  #skipInside(inside: Exclude<Inside, 'statement'>, isFinal: boolean): void {
    const end = ends[inside];
    const hasEscapes = inside === 'single' || inside === 'double';
    while (this.#at < this.#text.length) {
      if (hasEscapes && this.#text[this.#at] === '\\') this.#at += 2;
      else if (this.#text.startsWith(end, this.#at)) {
        this.#at += end.length;
        this.#inside = 'statement';
        return;
      } else if (!isFinal && inside === 'block_comment' && this.#at + 1 >= this.#text.length) return;
      else this.#at += 1;
    }
  }

  #step(): void {
    const character = this.#text[this.#at] ?? '';
    const [next = '', third = ''] = this.#text.slice(this.#at + 1, this.#at + 3);
    if (character === '#' || (character === '-' && next === '-' && /^\s?$/.test(third))) {
      this.#inside = 'line_comment';
    }
    // /*! */ and /*M! */ are part of the statement for some versions.
    else if (character === '/' && next === '*' && third !== '!' && !this.#text.startsWith('/*M!', this.#at)) {
      this.#inside = 'block_comment';
      this.#at += 1;
    } else {
      this.#inside = quotes[character] ?? 'statement';
      if (!/\s/.test(character)) this.#isBlank = false;
    }
    this.#at += 1;
  }

  /** False for an incomplete line. */
  #readDelimiter(isFinal: boolean): boolean {
    const lineEnd = this.#text.indexOf('\n', this.#at);
    if (lineEnd === -1 && !isFinal) return false;
    const line = this.#text.slice(this.#at, lineEnd === -1 ? undefined : lineEnd);
    const [, delimiter] = /^delimiter[ \t]+(\S{1,16})/i.exec(line) ?? [];
    this.#delimiter = delimiter ?? this.#delimiter;
    this.#cut(lineEnd === -1 ? this.#text.length : lineEnd + 1);
    return true;
  }

  #join(): void {
    this.#text += this.#pending;
    this.#pending = '';
  }

  #cut(at: number): void {
    this.#text = this.#text.slice(at);
    this.#at = 0;
    this.#isBlank = true;
  }
}
