import { setTimeout as wait } from 'node:timers/promises';

/** 20 to 150 ms, because many tests poll a busy machine. */
export function pollDelayMs(n: number): number {
  return Math.min(20 + n * 10, 150);
}

/** Throws, naming `what`, after `timeoutMs` of undefined, null or false. */
export async function waitUntil<T>(
  what: string,
  probe: () => T | Promise<T>,
  timeoutMs = 40_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const end = performance.now() + timeoutMs;
  for (let asked = 0; ; asked++) {
    const value = await probe();
    if (value !== undefined && value !== null && value !== false) return value as NonNullable<Exclude<T, false>>;
    if (performance.now() > end) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await wait(pollDelayMs(asked));
  }
}
