import { maxDepth } from '../limits.js';
import { RewriteError } from '../rewrite-error.js';
import type { Step } from './node.js';

/** Special to JavaScript readers. */
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** Like "listeners[0].host" or "servers.*.address"; a backslash escapes. */
export function parseSteps(text: string): Step[] {
  const steps = splitNames(text).flatMap(({ name, indexes }): Step[] => [
    ...(name === '' && indexes.length > 0 ? [] : [name === '*' ? ('*' as const) : { key: unescape(name) }]),
    ...indexes.map((index) => ({ index })),
  ]);
  for (const step of steps) {
    if (step === '*' || 'index' in step) continue;
    if (step.key === '') throw new RewriteError('a name in this path is empty');
    if (refusedKeys.has(step.key)) throw new RewriteError(`the name ${step.key} is not allowed`);
  }
  if (steps.length > maxDepth) throw new RewriteError(`this path has more than ${maxDepth} steps`);
  return steps;
}

function splitNames(text: string): { name: string; indexes: number[] }[] {
  const parts = text.match(/(?:\\[\s\S]|[^.\\])+|(?<=^|\.)(?=\.|$)/g) ?? [];
  return parts.map((part) => {
    const brackets = /(?<!\\)(?:\[\d{1,6}\])+$/.exec(part)?.[0] ?? '';
    const indexes = brackets.match(/\d+/g) ?? [];
    return { name: part.slice(0, part.length - brackets.length), indexes: indexes.map(Number) };
  });
}

function unescape(name: string): string {
  return name.replace(/\\([\s\S])/g, '$1');
}
