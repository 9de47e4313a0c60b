import type { GameServer } from '../servers/server.js';
import { type EndedRun, type Schedule, type ScheduleRun, type ScheduleTask, type TaskResult } from './schedule.js';

/** Then the worker is dead; tasks end earlier. */
export const taskLeaseMs = 60_000;

/** Longer tasks fail. */
export const taskTimeoutMs = 30_000;

/** Later ticks are skipped. */
export const maxLatenessMs = 60 * 60_000;

/** A user's run skips the first delay. */
export function beginRun(
  schedule: Pick<Schedule, 'tasks' | 'onlyWhenOnline' | 'authorId'>,
  { id, cause, authorId, at }: { id: string; cause: ScheduleRun['cause']; authorId?: string; at: Date },
): ScheduleRun {
  const run = {
    id,
    cause,
    authorId: authorId ?? schedule.authorId,
    startedAt: at,
    tasks: schedule.tasks,
    onlyWhenOnline: schedule.onlyWhenOnline,
    results: [],
  };
  const [first] = schedule.tasks;
  return { ...run, ...enter(0, cause === 'manual' ? undefined : first, at) };
}

export type RunChange = { readonly next: ScheduleRun } | { readonly ended: EndedRun };

type RetainedTasks = readonly Pick<ScheduleTask, 'id'>[];

/** Continues with the next task that its schedule has still. */
export function afterTask(run: ScheduleRun, result: TaskResult, tasks: RetainedTasks): RunChange {
  const at = result.endedAt;
  const results = [...run.results, result];
  // The interrupted task may have succeeded.
  const isStopped = result.status === 'failed' && run.tasks[run.position]?.continueOnFailure !== true;
  const position = findRetained(run, run.position + 1, tasks);
  if (isStopped || position === -1 || run.cancelReason !== undefined) {
    return { ended: endWithResults({ ...run, results }, at) };
  }
  return { next: { ...run, results, ...enter(position, run.tasks[position], at) } };
}

function findRetained(run: ScheduleRun, from: number, tasks: RetainedTasks): number {
  const retained = new Set(tasks.map(({ id }) => id));
  return run.tasks.findIndex(({ id }, position) => position >= from && retained.has(id));
}

function endWithResults(run: ScheduleRun, at: Date): EndedRun {
  const problem = run.results.find(({ status }) => status !== 'succeeded');
  const error = problem ? `task ${problem.sequence}: ${problem.error ?? problem.status}` : null;
  return end(run, problem ? 'failed' : 'succeeded', error, at);
}

/**
 * A waiting run without the tasks that its schedule has no more. Null: the task that it waits for stays. Ends without
 * one left.
 */
export function withoutRemoved(run: ScheduleRun, tasks: RetainedTasks, at: Date): RunChange | null {
  const position = findRetained(run, run.position, tasks);
  if (position === run.position) return null;
  if (position !== -1) return { next: { ...run, ...enter(position, run.tasks[position], at) } };
  if (run.results.length === 0) return { ended: end(run, 'skipped', 'its tasks were removed', at) };
  return { ended: endWithResults(run, at) };
}

export function startTask(run: ScheduleRun, at: Date): ScheduleRun {
  return { ...run, ...enter(run.position, undefined, at) };
}

function enter(position: number, task: ScheduleTask | undefined, at: Date) {
  const offsetMs = (task?.timeOffsetSeconds ?? 0) * 1000;
  return offsetMs > 0
    ? ({ position, phase: 'waiting', dueAt: new Date(at.getTime() + offsetMs) } as const)
    : ({ position, phase: 'executing', dueAt: new Date(at.getTime() + taskLeaseMs) } as const);
}

export function resultOf(run: ScheduleRun, status: TaskResult['status'], error: string | null, at: Date): TaskResult {
  const action = run.tasks[run.position]?.action ?? 'command';
  return { sequence: run.position + 1, action, status, error, endedAt: at };
}

/** A cancelled run stays cancelled, independent of the result of its last task. */
export function end(run: ScheduleRun, status: EndedRun['status'], error: string | null, at: Date): EndedRun {
  const { id, cause, startedAt, results, cancelReason } = run;
  const outcome =
    cancelReason === undefined ? { status, error } : { status: 'cancelled' as const, error: cancelReason };
  return { id, cause, ...outcome, startedAt, endedAt: at, results };
}

/** Null: tasks may run. */
export function notRunnable(
  { operation, suspended, power }: GameServer,
  { onlyWhenOnline }: ScheduleRun,
): string | null {
  if (operation) return `the server was ${operation.kind}`;
  if (suspended) return 'the server was suspended';
  const isOnline = power.state === 'running' || power.state === 'starting';
  return onlyWhenOnline && !isOnline ? 'the server did not run' : null;
}
