import type { CrashState } from './server.js';

export interface CrashPolicy {
  /** Automatic restarts within the window; one crash more and the server stays offline. */
  readonly maxRestarts: number;
  readonly windowMs: number;
  /** Wait before the first restart; doubles with each one in the window. */
  readonly backoffMs: number;
  /** Whether an end nobody asked for counts as a crash also with exit code 0. */
  readonly isCleanExitCrash: boolean;
}

export type CrashVerdict =
  | { readonly kind: 'ended' }
  | { readonly kind: 'restart'; readonly state: CrashState; readonly delayMs: number }
  | { readonly kind: 'give_up'; readonly state: CrashState };

/** What follows when a game ends that nobody stopped. */
export function judgeExit(
  crash: CrashState,
  exit: { readonly exitCode: number; readonly outOfMemory: boolean },
  policy: CrashPolicy,
  now: Date,
): CrashVerdict {
  if (exit.exitCode === 0 && !exit.outOfMemory && !policy.isCleanExitCrash) return { kind: 'ended' };
  const recent = crash.times.filter((time) => now.getTime() - time.getTime() < policy.windowMs);
  const times = [...recent, now].slice(-policy.maxRestarts - 1);
  if (recent.length >= policy.maxRestarts) return { kind: 'give_up', state: { times, restartAt: null } };
  const delayMs = policy.backoffMs * 2 ** recent.length;
  return { kind: 'restart', state: { times, restartAt: new Date(now.getTime() + delayMs) }, delayMs };
}
