import {
  type EndedRun,
  type RunCause,
  type Schedule,
  type ScheduleRun,
  type ScheduleTask,
  type TaskResult,
} from './schedule.js';

/** A worker that has started a task records its result within this time, or it is dead. Tasks end long before. */
export const taskLeaseMs = 60_000;

/** Time for one task; longer ones fail. */
export const taskTimeoutMs = 30_000;

/** A tick that is later than this, because no replica was there to run it, is skipped. */
export const maxLatenessMs = 60 * 60_000;

/** The run that starts at `at`. Executed by a user, it does not wait for its first task. */
export function beginRun(
  schedule: Pick<Schedule, 'tasks' | 'onlyWhenOnline' | 'authorId'>,
  { id, cause, authorId, at }: { id: string; cause: RunCause; authorId?: string; at: Date },
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

/** The run after its current task has ended: its next step, or its end. */
export function afterTask(run: ScheduleRun, result: TaskResult): { next: ScheduleRun } | { ended: EndedRun } {
  const at = result.endedAt;
  const task = run.tasks[run.position];
  const results = [...run.results, result];
  // After an interruption the run continues: it is unknown whether the task failed.
  const stops = result.status === 'failed' && task?.continueOnFailure !== true;
  const next = run.tasks[run.position + 1];
  if (!stops && next) return { next: { ...run, results, ...enter(run.position + 1, next, at) } };
  const problem = results.find(({ status }) => status !== 'succeeded');
  const error = problem ? `task ${problem.sequence}: ${problem.error ?? problem.status}` : null;
  return { ended: end({ ...run, results }, problem ? 'failed' : 'succeeded', error, at) };
}

/** The run whose current task has waited long enough. */
export function startTask(run: ScheduleRun, at: Date): ScheduleRun {
  return { ...run, ...enter(run.position, undefined, at) };
}

/** A task without time offset starts in the same step. */
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

export function end(run: ScheduleRun, status: EndedRun['status'], error: string | null, at: Date): EndedRun {
  const { id, cause, startedAt, results } = run;
  return { id, cause, status, error, startedAt, endedAt: at, results };
}
