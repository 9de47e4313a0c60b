import type { CrashState } from '../servers/server.js';

export interface CrashPolicy {
  /** Within the window; the next crash leaves the server offline. */
  readonly maxRestarts: number;
  readonly windowMs: number;
  /** Doubles with each restart in the window. */
  readonly backoffMs: number;
  /** Exit code 0 without a request is a crash. */
  readonly isCleanExitCrash: boolean;
}

interface ExitFacts {
  readonly exitCode: number;
  readonly outOfMemory: boolean;
  /** By the engine or its operator: restarts without a crash count. */
  readonly isEndedFromOutside: boolean;
  /** Keeps such a server offline; default false. */
  readonly isNeverStarted?: boolean;
}

export type CrashDecision =
  | { readonly kind: 'ended' }
  | { readonly kind: 'left_offline'; readonly state: CrashState }
  | { readonly kind: 'restart'; readonly state: CrashState; readonly delayMs: number }
  | { readonly kind: 'give_up'; readonly state: CrashState };

/** A stopping engine ends its games first: an immediate restart would delay it. */
const outsideFactor = 5;

export function evaluateExit(crash: CrashState, exit: ExitFacts, policy: CrashPolicy, now: Date): CrashDecision {
  if (exit.isEndedFromOutside && exit.isNeverStarted)
    return { kind: 'left_offline', state: { ...crash, restartAt: null } };
  if (exit.isEndedFromOutside) {
    const delayMs = policy.backoffMs * outsideFactor;
    return { kind: 'restart', state: { ...crash, restartAt: new Date(now.getTime() + delayMs) }, delayMs };
  }
  if (exit.exitCode === 0 && !exit.outOfMemory && !policy.isCleanExitCrash) return { kind: 'ended' };
  const recent = crash.times.filter((time) => now.getTime() - time.getTime() < policy.windowMs);
  const times = [...recent, now].slice(-policy.maxRestarts - 1);
  if (recent.length >= policy.maxRestarts) return { kind: 'give_up', state: { times, restartAt: null } };
  const delayMs = policy.backoffMs * 2 ** recent.length;
  return { kind: 'restart', state: { times, restartAt: new Date(now.getTime() + delayMs) }, delayMs };
}
