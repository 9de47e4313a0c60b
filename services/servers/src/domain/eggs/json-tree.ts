import { AppError } from '@panel/kit/errors';

/**
 * Untrusted documents. A Map keeps the order of all keys (objects sort integer-like ones first; the first docker image
 * is the default) and has no prototype to pollute.
 */
export type Tree = null | boolean | number | string | readonly Tree[] | ReadonlyMap<string, Tree>;

/** `message` may be shown to the sender. */
export class TreeError extends AppError {
  constructor(message: string) {
    super('invalid_argument', 'INVALID_DOCUMENT', message);
  }
}

export const maxTreeDepth = 32;
const maxNodes = 100_000;
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** Throws TreeError: syntax, nesting over 32, over 100,000 values, a forbidden key. */
export function parseJsonTree(text: string): Tree {
  const reader = new JsonReader(text);
  return reader.readDocument();
}

/** Throws TreeError. */
export function checkKey(key: string): void {
  if (forbiddenKeys.has(key)) throw new TreeError(`the key ${JSON.stringify(key)} is not allowed`);
}

/** Text where a number would lose a digit: Steam ids, version 1.20. */
export function numberOrText(text: string): number | string {
  const value = Number(text);
  return String(value) === text ? value : text;
}

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const spacePattern = /[ \t\r\n]*/y;
const literals: readonly (readonly [string, Tree])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

class JsonReader {
  #at = 0;
  #nodes = 0;

  constructor(private readonly text: string) {}

  readDocument(): Tree {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.text.length) throw this.#unexpected();
    return value;
  }

  #value(depth: number): Tree {
    if (depth > maxTreeDepth) throw new TreeError(`nested deeper than ${maxTreeDepth} levels`);
    if (++this.#nodes > maxNodes) throw new TreeError(`more than ${maxNodes} values`);
    this.#space();
    switch (this.text[this.#at]) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        return this.#string();
      default:
        return this.#scalar();
    }
  }

  #object(depth: number): Tree {
    const map = new Map<string, Tree>();
    this.#at++;
    if (this.#takes('}')) return map;
    do {
      this.#space();
      const key = this.#string();
      checkKey(key);
      if (!this.#takes(':')) throw this.#unexpected();
      map.set(key, this.#value(depth + 1));
    } while (this.#takes(','));
    if (!this.#takes('}')) throw this.#unexpected();
    return map;
  }

  #array(depth: number): Tree {
    const items: Tree[] = [];
    this.#at++;
    if (this.#takes(']')) return items;
    do items.push(this.#value(depth + 1));
    while (this.#takes(','));
    if (!this.#takes(']')) throw this.#unexpected();
    return items;
  }

  #string(): string {
    const start = this.#at;
    let end = start + 1;
    // V8 runs a regular expression over the string on a bounded stack.
    for (; end < this.text.length && this.text[end] !== '"'; end++) if (this.text[end] === '\\') end++;
    this.#at = end + 1;
    try {
      const value: unknown = JSON.parse(this.text.slice(start, this.#at));
      if (typeof value === 'string') return value;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    this.#at = start;
    throw this.#unexpected();
  }

  #scalar(): Tree {
    for (const [word, value] of literals) {
      if (!this.text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    numberPattern.lastIndex = this.#at;
    const match = numberPattern.exec(this.text);
    if (!match) throw this.#unexpected();
    this.#at += match[0].length;
    return numberOrText(match[0]);
  }

  #takes(character: string): boolean {
    this.#space();
    if (this.text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    spacePattern.lastIndex = this.#at;
    this.#at += spacePattern.exec(this.text)?.[0].length ?? 0;
  }

  #unexpected(): TreeError {
    const line = this.text.slice(0, this.#at).split('\n').length;
    const found = this.#at < this.text.length ? JSON.stringify(this.text.slice(this.#at, this.#at + 12)) : 'the end';
    return new TreeError(`not valid JSON: unexpected ${found} in line ${line}`);
  }
}

/** 0: one line. */
export function stringifyTree(tree: Tree, indent = 0): string {
  return write(tree, indent, '');
}

function write(tree: Tree, indent: number, margin: string): string {
  if (!isList(tree) && !isMap(tree)) return JSON.stringify(tree);
  const inner = indent === 0 ? '' : `\n${margin}${' '.repeat(indent)}`;
  const end = indent === 0 ? '' : `\n${margin}`;
  const next = margin + ' '.repeat(indent);
  if (isList(tree)) {
    if (tree.length === 0) return '[]';
    return `[${tree.map((item) => inner + write(item, indent, next)).join(',')}${end}]`;
  }
  if (tree.size === 0) return '{}';
  const colon = indent === 0 ? ':' : ': ';
  const entries = [...tree].map(
    ([key, value]) => `${inner}${JSON.stringify(key)}${colon}${write(value, indent, next)}`,
  );
  return `{${entries.join(',')}${end}}`;
}

export function isMap(tree: Tree | undefined): tree is ReadonlyMap<string, Tree> {
  return tree instanceof Map;
}

export function isList(tree: Tree | undefined): tree is readonly Tree[] {
  return Array.isArray(tree);
}

/** Of a list, or the values of an object: PHP writes a list with gaps as one. Null: neither. */
export function itemsOf(tree: Tree | undefined): readonly Tree[] | null {
  if (isMap(tree)) return [...tree.values()];
  return isList(tree) ? tree : null;
}
