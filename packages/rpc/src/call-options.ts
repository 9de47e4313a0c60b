import { setTimeout as wait } from 'node:timers/promises';
import { isAppError } from '@panel/kit/errors';
import { wasUnsent } from './status.js';
import type { CallOptions, MethodDefinition } from './types.js';

/** Default of unary calls. */
const defaultTimeoutMs = 10_000;

/** `ownToken` is the connection's own actor. */
export interface Transport {
  unary(method: MethodDefinition<unknown, unknown>, request: unknown, options: CallOptions): Promise<unknown>;
  close(): void;
}

/** Or the parent call's earlier deadline, in Unix milliseconds. */
export function deadlineOf(options: CallOptions, defaultMs: number | null): number | null {
  const own = options.timeoutMs ?? defaultMs;
  const byItself = own === null ? Infinity : Date.now() + own;
  const earliest = Math.min(byItself, options.parent?.deadline?.getTime() ?? Infinity);
  return Number.isFinite(earliest) ? earliest : null;
}

/** For unary calls, which always have a deadline. */
export function unaryDeadlineOf(options: CallOptions): number {
  return deadlineOf(options, defaultTimeoutMs) ?? Date.now() + defaultTimeoutMs;
}

export function signalOf(options: CallOptions): AbortSignal | undefined {
  return options.signal ?? options.parent?.signal;
}

/** Reads are retried when the service was unreachable; others only when unsent. */
const idempotentName = /^(get|list|authenticate)/;
/** A restart or another replica is usually available by then. */
const retryPausesMs = [100, 250, 500];

/** All tries share one call's time. Throws the last error. */
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
