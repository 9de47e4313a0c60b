import { nextValue } from './condition.js';
import { eachReplacement } from './each.js';
import type { Warnings, Replacement } from '../domain/config-file.js';
import { lineEndOf, splitLines } from './text.js';

/**
 * Parser `file`: replaces lines that start with a key; an empty key matches all. Adds no keys. A key is whole, `map` does
 * not match a line of `map_name`, and the longest wins. Lines keep their ends.
 */
export function rewriteLines(text: string, replacements: readonly Replacement[], warnings: Warnings): string {
  const usable: Replacement[] = [];
  eachReplacement(replacements, warnings, (replacement) => {
    nextValue('', replacement);
    usable.push(replacement);
  });
  const ordered = usable.toSorted((a, b) => b.key.length - a.key.length);
  const before = splitLines(text);
  const lineEnd = lineEndOf(text);
  const after: string[] = [];
  for (let at = 0; at < before.length;) {
    const { body = '', end = '' } = before[at] ?? {};
    const next = replaced(body, ordered);
    // a multi-line value exists after the first run
    const isThere = next.every((part, offset) => before[at + offset]?.body === part);
    const count = isThere ? next.length : 1;
    if (isThere) after.push(...before.slice(at, at + count).map((line) => line.body + line.end));
    else after.push(next.join(end || lineEnd) + end);
    at += count;
  }
  return after.join('');
}

function replaced(line: string, replacements: readonly Replacement[]): string[] {
  for (const replacement of replacements) {
    if (!startsWithKey(line, replacement.key)) continue;
    const value = nextValue(line, replacement);
    if (value) return value.text.split(/\r?\n/);
  }
  return [line];
}

/** Letters, digits and `_` go on with a key that ends in one. */
function startsWithKey(line: string, key: string): boolean {
  if (!line.startsWith(key)) return false;
  return !(/\w$/.test(key) && /^\w/.test(line.slice(key.length)));
}
