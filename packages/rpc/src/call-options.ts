import { setTimeout as wait } from 'node:timers/promises';
import { isAppError } from '@panel/kit/errors';
import { wasUnsent } from './status.js';
import type { CallOptions, MethodDefinition } from './types.js';

/** Time a unary call may take when nothing says otherwise. */
const defaultTimeoutMs = 10_000;

/** A way to make calls that have one answer. `ownToken` speaks for the connection itself. */
export interface Transport {
  unary(method: MethodDefinition<unknown, unknown>, request: unknown, options: CallOptions): Promise<unknown>;
  close(): void;
}

/** The earlier of the call's own time-out and the deadline of the call being served, in Unix milliseconds. */
export function deadlineOf(options: CallOptions, defaultMs: number | null): number | null {
  const own = options.timeoutMs ?? defaultMs;
  const byItself = own === null ? Infinity : Date.now() + own;
  const earliest = Math.min(byItself, options.parent?.deadline?.getTime() ?? Infinity);
  return Number.isFinite(earliest) ? earliest : null;
}

/** The same for a call with one answer, which always has a deadline. */
export function unaryDeadlineOf(options: CallOptions): number {
  return deadlineOf(options, defaultTimeoutMs) ?? Date.now() + defaultTimeoutMs;
}

export function signalOf(options: CallOptions): AbortSignal | undefined {
  return options.signal ?? options.parent?.signal;
}

/** Calls that only read are tried again when the service was not reachable; others only when they never left. */
const idempotentName = /^(get|list|authenticate)/;
/**
 * Pauses before each retry. A restarted service or another replica is usually available within them, and a service that is
 * known to be down fails a call within a second.
 */
const retryPausesMs = [100, 250, 500];

/**
 * `call`, as often as it may be made, and the last error when that does not help. All tries together have the time of one
 * call: each gets what is left of it as its time-out.
 */
export async function withRetries<T>(
  name: string,
  options: CallOptions,
  call: (options: CallOptions) => Promise<T>,
): Promise<T> {
  const deadline = unaryDeadlineOf(options);
  const within = () => ({ ...options, timeoutMs: Math.max(1, deadline - Date.now()) });
  for (const pauseMs of retryPausesMs) {
    try {
      return await call(within());
    } catch (error) {
      const pause = pauseMs * (0.5 + Math.random() / 2);
      if (!mayRepeat(name, error) || options.signal?.aborted || Date.now() + pause >= deadline) throw error;
      await wait(pause);
    }
  }
  return call(within());
}

function mayRepeat(name: string, error: unknown): boolean {
  return wasUnsent(error) || (idempotentName.test(name) && isAppError(error, 'SERVICE_UNAVAILABLE', 'STOPPING'));
}
