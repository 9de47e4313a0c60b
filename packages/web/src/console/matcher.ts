import type { LineFilter } from './line-view.js';

/** Level names, for "level:warn". */
const levels: Readonly<Record<string, RegExp>> = {
  error: /\b(error|severe|fatal|exception)\b/i,
  warn: /\b(warn|warning)\b/i,
  info: /\binfo\b/i,
};

/** Case-insensitive text, an expression like /joined|left/, or a level like level:error. Null: no search. */
export function createMatcher(search: string): LineFilter | null {
  const text = search.trim();
  if (text === '') return null;
  const level = /^level:(\w+)$/.exec(text)?.[1];
  const known = level === undefined ? undefined : levels[level];
  if (known) return { test: (line) => known.test(line) };
  const pattern = /^\/(.+)\/([a-z]*)$/.exec(text);
  const expression = pattern ? compile(pattern[1] ?? '') : null;
  if (expression) return { test: (line) => expression.test(line) };
  const wanted = text.toLowerCase();
  return { test: (line) => line.toLowerCase().includes(wanted) };
}

/** Null for an incomplete expression. */
function compile(source: string): RegExp | null {
  try {
    return new RegExp(source, 'i');
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
