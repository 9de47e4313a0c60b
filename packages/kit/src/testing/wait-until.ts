import { setTimeout as wait } from 'node:timers/promises';

/** Ask `probe` until it answers something other than undefined, null or false. Throws, naming `what`, after `timeoutMs`. */
export async function waitUntil<T>(
  what: string,
  probe: () => T | Promise<T>,
  timeoutMs = 40_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== null && value !== false) return value as NonNullable<Exclude<T, false>>;
    if (performance.now() > end) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await wait(20);
  }
}
