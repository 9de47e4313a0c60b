import { fail } from '../../reasons.js';

/** Console commands of a server in the current minute. */
export interface CommandQuota {
  readonly limit: number;
  /** Includes the counted command; may exceed the limit. */
  readonly used: number;
  /** Unix milliseconds of the minute's end. */
  readonly resetsAt: number;
}

export function isExceeded({ used, limit }: CommandQuota): boolean {
  return used > limit;
}

export function tooManyCommands({ resetsAt }: CommandQuota, nowMs: number) {
  const retryAfterSeconds = Math.max(1, Math.ceil((resetsAt - nowMs) / 1000));
  const message = `too many requests: try again in ${retryAfterSeconds} seconds`;
  return fail('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds });
}
