import { readFileSync } from 'node:fs';

/** Of a process's open files, for handles and for connections of each listener. The rest is for requests and databases. */
export const openFileShare = 1 / 4;

/** RLIMIT_NOFILE, which Node raises to its hard limit. */
export function openFileLimit(): number {
  const [, limit = ''] = /^Max open files +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit);
}
