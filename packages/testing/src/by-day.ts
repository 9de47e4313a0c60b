import { readTestConfig } from './config.js';

/** Of a long list of similar cases: all by night (`npm run test:long`), by day `count`, spread evenly over the list. */
export function byDay<T>(all: readonly T[], count: number): readonly T[] {
  if (readTestConfig().isLong || count >= all.length) return all;
  const step = (all.length - 1) / (count - 1);
  const chosen = new Set(Array.from({ length: count }, (_, at) => Math.round(at * step)));
  return all.filter((_, at) => chosen.has(at));
}
