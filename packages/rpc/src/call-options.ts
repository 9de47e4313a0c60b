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
/** Another replica, or one whose connection was cut, is usually available by then. */
const retryPausesMs = [100, 250, 500];
/** A service that has answered this lately is being restarted. */
const restartMs = 8_000;
const restartPauseMs = 300;

/** Of a connection: distinguishes a restarted service from an unavailable one. */
export class LastAnswer {
  #at = -Infinity;

  note(): void {
    this.#at = performance.now();
  }

  /** Milliseconds; 0: it stays unavailable. */
  get patienceMs(): number {
    return Math.max(0, restartMs - (performance.now() - this.#at));
  }
}

/**
 * All tries share one call's time, of which `within` gives the rest. What was not sent is tried while its service
 * restarts. Throws the last error.
 */
export async function withRetries<T>(
  isRepeatable: (error: unknown) => boolean,
  options: CallOptions,
  lastAnswer: LastAnswer,
  call: (within: () => CallOptions) => Promise<T>,
): Promise<T> {
  const deadline = unaryDeadlineOf(options);
  const within = () => ({ ...options, timeoutMs: Math.max(1, deadline - Date.now()) });
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await call(within);
      lastAnswer.note();
      return answer;
    } catch (error) {
      if (isAnswer(error)) lastAnswer.note();
      const pauseMs = isRepeatable(error) ? pauseBefore(tries, error, lastAnswer) : null;
      if (pauseMs === null || signalOf(options)?.aborted || Date.now() + pauseMs >= deadline) throw error;
      await wait(pauseMs);
    }
  }
}

/** With jitter; null: enough tries. */
export function pauseBefore(tries: number, error: unknown, lastAnswer: LastAnswer): number | null {
  const isStarting = wasUnsent(error) && lastAnswer.patienceMs > 0;
  const pauseMs = retryPausesMs[tries] ?? (isStarting ? restartPauseMs : null);
  return pauseMs === null ? null : pauseMs * (0.5 + Math.random() / 2);
}

/** A refusal is an answer too. */
export function isAnswer(error: unknown): boolean {
  return isAppError(error) && !['unavailable', 'deadline_exceeded', 'cancelled'].includes(error.kind);
}

/** For unary calls with this name. */
export function mayRepeat(name: string): (error: unknown) => boolean {
  const isIdempotent = idempotentName.test(name);
  return (error) => wasUnsent(error) || (isIdempotent && isAppError(error, 'SERVICE_UNAVAILABLE', 'STOPPING'));
}
