import { nextValue } from './condition.js';
import { eachReplacement } from './each.js';
import type { Warnings, Replacement } from '../domain/config-file.js';
import { splitLines } from './text.js';

/**
 * Parser `file`: a line that starts with a key becomes the value, whole; every line starts with an empty key. Keys that no line starts with are not added.
 * Where several keys fit the longest one counts, so that `map` leaves `map_name` to the key of that name. Lines end in a
 * line feed afterwards.
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
    // a value of several lines is there already after the first time
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
