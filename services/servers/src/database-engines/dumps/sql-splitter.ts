import { fail } from '../../reasons.js';

/** Longer than the longest token that has to be seen whole. */
const lookahead = 32;
/** As MariaDB and MySQL are configured by Debian and by their own defaults (max_allowed_packet), and no more. */
const maxStatementBytes = 64 * 1024 * 1024;
/** Text is joined in pieces of this size at least once there is as much of it, for joining copies all there is. */
const joinedBytes = 1024 * 1024;

type Inside = 'statement' | 'single' | 'double' | 'backtick' | 'line_comment' | 'block_comment';
const ends = { single: "'", double: '"', backtick: '`', line_comment: '\n', block_comment: '*/' } as const;
const quotes: Readonly<Record<string, Inside>> = { "'": 'single', '"': 'double', '`': 'backtick' };

/**
 * Splits a dump of MariaDB or MySQL into statements as the engine's own client does, and does nothing else of what that
 * client does: its commands for files, shells and other hosts are no statements, so the host refuses them. Text is latin1,
 * one character a byte.
 */
export class SqlSplitter {
  #text = '';
  /** Came after `#text`, and is not joined with it yet. */
  #pending = '';
  #at = 0;
  #inside: Inside = 'statement';
  #delimiter = ';';
  /** Nothing but white space and comments so far in this statement. */
  #isBlank = true;

  /** Statements that end in what is known so far. Throws DATABASE_DUMP_LIMIT. */
  *push(chunk: string): Generator<string> {
    this.#pending += chunk;
    if (this.#pending.length < Math.min(this.#text.length, joinedBytes)) return;
    this.#join();
    yield* this.#scan(false);
    if (this.#text.length > maxStatementBytes) {
      throw fail('DATABASE_DUMP_LIMIT', 'a statement of the dump is too long', { limit_bytes: maxStatementBytes });
    }
  }

  /** The last statement, which needs no delimiter. */
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

  /** Move to the end of a quoted text or comment, or of what is there. */
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
    // What is in /*! */ and in /*M! */ is part of the statement for engines of that version.
    else if (character === '/' && next === '*' && third !== '!' && !this.#text.startsWith('/*M!', this.#at)) {
      this.#inside = 'block_comment';
      this.#at += 1;
    } else {
      this.#inside = quotes[character] ?? 'statement';
      if (!/\s/.test(character)) this.#isBlank = false;
    }
    this.#at += 1;
  }

  /** False while the line is not complete. */
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
