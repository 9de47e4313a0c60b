import { assertNever, invalidFields } from '@panel/kit/errors';
import {
  type Cron,
  type Schedule as ScheduleMessage,
  type ScheduleRun as RunMessage,
  ScheduleRun_Cause,
  ScheduleRun_Status,
  type ScheduleTask as TaskMessage,
  ScheduleTask_Action,
  type ScheduleTaskResult,
  ScheduleTaskResult_Status,
  type Trigger as TriggerMessage,
  Trigger_Kind,
} from '@panel/protos/servers';
import type { CronFields } from '../domain/schedules/cron.js';
import {
  type EndedRun,
  type Schedule,
  scheduleLimits,
  type ScheduleRun,
  type ScheduleTask,
  type TaskAction,
  type TaskResult,
  type Trigger,
  type TriggerKind,
} from '../domain/schedules/schedule.js';

const kinds: Readonly<Record<TriggerKind, Trigger_Kind>> = {
  cron: Trigger_Kind.CRON,
  server_started: Trigger_Kind.SERVER_STARTED,
  server_crashed: Trigger_Kind.SERVER_CRASHED,
  players_empty: Trigger_Kind.PLAYERS_EMPTY,
  backup_failed: Trigger_Kind.BACKUP_FAILED,
  webhook: Trigger_Kind.WEBHOOK,
};

const actions: Readonly<Record<TaskAction, ScheduleTask_Action>> = {
  command: ScheduleTask_Action.COMMAND,
  power: ScheduleTask_Action.POWER,
  backup: ScheduleTask_Action.BACKUP,
};

/** How Minecraft's console shows players; schedules of other games name their own. */
const defaultPatterns = { join: 'joined the game', leave: 'left the game' };

/** `webhookSignature`: for callers who may change the schedule, else empty. */
export function presentSchedule(schedule: Schedule, webhookSignature: string): ScheduleMessage {
  const { id, serverId, name, cron, timezone, authorId, tasks, run, runs } = schedule;
  const current = run ? [presentRun(run)] : [];
  return {
    id,
    serverId,
    name,
    cron: { ...cron },
    timezone,
    active: schedule.isActive,
    onlyWhenOnline: schedule.onlyWhenOnline,
    trigger: { ...schedule.trigger, kind: kinds[schedule.trigger.kind] },
    tasks: tasks.map((task, index) => ({ ...task, action: actions[task.action], sequence: index + 1 })),
    authorId,
    lastRunTime: schedule.lastRunAt ?? undefined,
    nextRunTime: schedule.nextRunAt ?? undefined,
    runs: [...current, ...runs.map(presentEndedRun)].slice(0, scheduleLimits.runs),
    webhookSignature,
    createTime: schedule.createdAt,
    updateTime: schedule.updatedAt,
  };
}

function presentRun({ id, cause, startedAt, results }: ScheduleRun): RunMessage {
  const tasks = results.map(presentResult);
  const status = ScheduleRun_Status.RUNNING;
  return { id, status, cause: causeOf(cause), startTime: startedAt, endTime: undefined, error: '', tasks };
}

function presentEndedRun({ id, cause, status, startedAt, endedAt, error, results }: EndedRun): RunMessage {
  return {
    id,
    status: runStatusOf(status),
    cause: causeOf(cause),
    startTime: startedAt,
    endTime: endedAt,
    error: error ?? '',
    tasks: results.map(presentResult),
  };
}

function presentResult({ sequence, action, status, error, endedAt }: TaskResult): ScheduleTaskResult {
  return { sequence, action: actions[action], status: resultStatusOf(status), error: error ?? '', endTime: endedAt };
}

function causeOf(cause: ScheduleRun['cause']): ScheduleRun_Cause {
  return cause === 'manual' ? ScheduleRun_Cause.MANUAL : ScheduleRun_Cause.TRIGGER;
}

function runStatusOf(status: EndedRun['status']): ScheduleRun_Status {
  switch (status) {
    case 'succeeded':
      return ScheduleRun_Status.SUCCEEDED;
    case 'failed':
      return ScheduleRun_Status.FAILED;
    case 'skipped':
      return ScheduleRun_Status.SKIPPED;
    default:
      return assertNever(status);
  }
}

function resultStatusOf(status: TaskResult['status']): ScheduleTaskResult_Status {
  switch (status) {
    case 'succeeded':
      return ScheduleTaskResult_Status.SUCCEEDED;
    case 'failed':
      return ScheduleTaskResult_Status.FAILED;
    case 'interrupted':
      return ScheduleTaskResult_Status.INTERRUPTED;
    default:
      return assertNever(status);
  }
}

/** The fields of a message that are given. */
export function readCron(cron: Cron | undefined): Partial<CronFields> {
  if (!cron) return {};
  const { minute, hour, dayOfMonth, month, dayOfWeek } = cron;
  const fields = Object.entries({ minute, hour, dayOfMonth, month, dayOfWeek });
  return Object.fromEntries(fields.filter(([, text]) => text !== ''));
}

/** Throws INVALID_FIELDS. */
export function readTrigger({ kind: sent, emptyMinutes, joinPattern, leavePattern }: TriggerMessage): Trigger {
  const kind = keyOf(kinds, sent);
  if (!kind) throw invalidFields({ 'trigger.kind': [`must be ${Object.keys(kinds).join(', ')}`] });
  if (kind !== 'players_empty') return { kind, emptyMinutes: 0, joinPattern: '', leavePattern: '' };
  return {
    kind,
    emptyMinutes,
    joinPattern: joinPattern || defaultPatterns.join,
    leavePattern: leavePattern || defaultPatterns.leave,
  };
}

/** `newId` gives new tasks their id. Throws INVALID_FIELDS. */
export function readTasks(tasks: readonly TaskMessage[], newId: () => string): ScheduleTask[] {
  const ids = new Set<string>();
  return tasks.map(({ id, action: sent, payload, timeOffsetSeconds, continueOnFailure }, index) => {
    const action = keyOf(actions, sent);
    if (!action) throw invalidFields({ [`tasks.${index}.action`]: ['must be command, power or backup'] });
    if (id.length > 64 || ids.has(id)) throw invalidFields({ [`tasks.${index}.id`]: ['must be of one task'] });
    if (id !== '') ids.add(id);
    return { id: id || newId(), action, payload, timeOffsetSeconds, continueOnFailure };
  });
}

function keyOf<K extends string, V>(map: Readonly<Record<K, V>>, wanted: V): K | undefined {
  return (Object.keys(map) as K[]).find((key) => map[key] === wanted);
}
