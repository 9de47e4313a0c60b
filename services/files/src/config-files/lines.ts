import { nextValue } from './condition.js';
import { eachReplacement } from './each.js';
import type { Warnings, Replacement } from '../domain/config-file.js';
import { splitLines } from './text.js';

/**
 * Parser `file`: replaces lines that start with a key; an empty key matches all. Adds no keys. The longest key wins:
 * `map` does not match a line of `map_name`. Lines end in a line feed.
 */
export function rewriteLines(text: string, replacements: readonly Replacement[], warnings: Warnings): string {
  const usable: Replacement[] = [];
  eachReplacement(replacements, warnings, (replacement) => {
    nextValue('', replacement);
    usable.push(replacement);
  });
  const ordered = usable.toSorted((a, b) => b.key.length - a.key.length);
  const before = splitLines(text).map(({ body }) => body);
  const after: string[] = [];
  for (let at = 0; at < before.length;) {
    const line = before[at] ?? '';
    const next = replaced(line, ordered);
    after.push(...next);
    // a multi-line value exists after the first run
    const isThere = next.every((part, offset) => before[at + offset] === part);
    at += isThere ? next.length : 1;
  }
  return after.map((line) => `${line}\n`).join('');
}

function replaced(line: string, replacements: readonly Replacement[]): string[] {
  for (const replacement of replacements) {
    if (!line.startsWith(replacement.key)) continue;
    const value = nextValue(line, replacement);
    if (value) return value.text.split(/\r?\n/);
  }
  return [line];
}
