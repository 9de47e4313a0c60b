import type { CrashState } from '../servers/server.js';

export interface CrashPolicy {
  /** Automatic restarts within the window; one crash more and the server stays offline. */
  readonly maxRestarts: number;
  readonly windowMs: number;
  /** Wait before the first restart; doubles with each one in the window. */
  readonly backoffMs: number;
  /** Whether an unrequested end counts as a crash also with exit code 0. */
  readonly isCleanExitCrash: boolean;
}

interface ExitFacts {
  readonly exitCode: number;
  readonly outOfMemory: boolean;
  /**
   * The engine, or an operator on it, has ended the game: no fault of its own, so it runs again and that is not
   * counted.
   */
  readonly isEndedFromOutside: boolean;
  /** Whether a server that ended with its engine is left offline; absent: it is not. */
  readonly isNeverStarted?: boolean;
}

export type CrashDecision =
  | { readonly kind: 'ended' }
  | { readonly kind: 'left_offline'; readonly state: CrashState }
  | { readonly kind: 'restart'; readonly state: CrashState; readonly delayMs: number }
  | { readonly kind: 'give_up'; readonly state: CrashState };

/** An engine that goes down ends its games first: one started again at once would only delay it. */
const outsideFactor = 5;

/** What follows when a game ends without a stop. */
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
