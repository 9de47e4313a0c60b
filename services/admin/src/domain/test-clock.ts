import { fieldProblem, invalidFields } from '@panel/kit/errors';

const secondMs = 1_000;
const dayMs = 86_400 * secondMs;
/** Renewals, reminders and ends come in their order: none of them is nearer to another than a day. */
const stepMs = dayMs;
export const maxAdvanceMs = 400 * dayMs;
/** About a century: dates stay far from their ends. */
export const maxOffsetMs = 36_500 * dayMs;
/** The later passes run what one process left to another. */
const passes = 2;

/** The time of the installation is real time and `offsetMs`. */
export interface ClockRecord {
  readonly offsetMs: number;
  /** Null: no move goes on. */
  readonly targetMs: number | null;
  /** Grows with every step and pass. */
  readonly round: number;
  /** Of the present step, from 1. */
  readonly pass: number;
}

export const newClock: ClockRecord = { offsetMs: 0, targetMs: null, round: 1, pass: passes };

/** What a process of the installation has reported. */
export interface FollowingProcess {
  readonly service: string;
  readonly settledRound: number;
  /** Since its last report. */
  readonly silentMs: number;
}

/** A process that is silent for longer has ended. */
const liveMs = 3_000;
/** A service without a live process is waited for as long: it starts again. */
const awaitedMs = 60_000;

/** Names of services with a process that has not settled the round, or that just now have none. */
export function waitingFor(processes: readonly FollowingProcess[], round: number): string[] {
  const live = processes.filter(({ silentMs }) => silentMs <= liveMs);
  const busy = live.filter(({ settledRound }) => settledRound < round).map(({ service }) => service);
  const present = new Set(live.map(({ service }) => service));
  const gone = processes.filter(({ service, silentMs }) => silentMs <= awaitedMs && !present.has(service));
  return [...new Set([...busy, ...gone.map(({ service }) => service)])].toSorted();
}

/** After all have settled the round. Null: no move goes on. */
export function nextStep({ offsetMs, targetMs, round, pass }: ClockRecord): ClockRecord | null {
  if (targetMs === null) return null;
  if (pass < passes) return { offsetMs, targetMs, round: round + 1, pass: pass + 1 };
  if (offsetMs < targetMs)
    return { offsetMs: Math.min(offsetMs + stepMs, targetMs), targetMs, round: round + 1, pass: 1 };
  return { offsetMs, targetMs: null, round, pass };
}

/** The same. Throws INVALID_FIELDS. */
export function checkAdvance(field: string, advanceMs: number): number {
  if (advanceMs < secondMs) throw refused(field, 'in_past', 'must move the test clock forward, by a second at least');
  if (advanceMs > maxAdvanceMs) throw refused(field, 'out_of_range', 'must be at most 400 days ahead');
  return advanceMs;
}

/** Throws INVALID_FIELDS. */
export function checkOffset(field: string, offsetMs: number): void {
  if (offsetMs > maxOffsetMs) throw refused(field, 'out_of_range', 'must be at most 100 years ahead of real time');
}

function refused(field: string, reason: 'in_past' | 'out_of_range', message: string): Error {
  return invalidFields({ [field]: [fieldProblem(reason, message)] });
}
