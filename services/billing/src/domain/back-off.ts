const firstMs = 5_000;
const longestMs = 10 * 60_000;

/** Doubles per attempt, up to ten minutes. */
export function backOffMs(attempts: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(attempts, 20));
}
