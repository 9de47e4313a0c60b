const firstMs = 5_000;
const longestMs = 10 * 60_000;

/** Time until the next attempt: twice as long after each one, up to ten minutes. */
export function backOffMs(attempts: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(attempts, 20));
}
