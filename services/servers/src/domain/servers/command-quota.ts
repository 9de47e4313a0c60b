import { rateLimited } from '@panel/kit/errors';

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

export function tooManyCommands({ limit, resetsAt }: CommandQuota, nowMs: number) {
  return rateLimited('too many requests', { name: 'console', max: limit, remainingMs: resetsAt - nowMs });
}
