import { assertNever } from '@panel/kit/errors';
import {
  type Schedule as ScheduleMessage,
  type ScheduleRun as RunMessage,
  ScheduleRun_Cause,
  ScheduleRun_Status,
  ScheduleTask_Action,
  type ScheduleTaskResult,
  ScheduleTaskResult_Status,
  Trigger_Kind,
} from '@panel/protos/servers';
import {
  type EndedRun,
  scheduleLimits,
  type ScheduleRun,
  type TaskAction,
  type TaskResult,
  type TriggerKind,
} from '../domain/schedules/schedule.js';
import type { VisibleSchedule } from '../usecases/schedules/load-schedule.js';

export const triggerKinds: Readonly<Record<TriggerKind, Trigger_Kind>> = {
  cron: Trigger_Kind.CRON,
  server_started: Trigger_Kind.SERVER_STARTED,
  server_crashed: Trigger_Kind.SERVER_CRASHED,
  players_empty: Trigger_Kind.PLAYERS_EMPTY,
  backup_failed: Trigger_Kind.BACKUP_FAILED,
  webhook: Trigger_Kind.WEBHOOK,
};

export const taskActions: Readonly<Record<TaskAction, ScheduleTask_Action>> = {
  command: ScheduleTask_Action.COMMAND,
  power: ScheduleTask_Action.POWER,
  backup: ScheduleTask_Action.BACKUP,
};

export function presentSchedule(schedule: VisibleSchedule): ScheduleMessage {
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
    trigger: { ...schedule.trigger, kind: triggerKinds[schedule.trigger.kind] },
    tasks: tasks.map((task, index) => ({ ...task, action: taskActions[task.action], sequence: index + 1 })),
    authorId,
    lastRunTime: schedule.lastRunAt ?? undefined,
    nextRunTime: schedule.nextRunAt ?? undefined,
    runs: [...current, ...runs.map(presentEndedRun)].slice(0, scheduleLimits.runs),
    webhookSignature: schedule.trigger.kind === 'webhook' ? schedule.webhookSignature : '',
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
  return {
    sequence,
    action: taskActions[action],
    status: resultStatusOf(status),
    error: error ?? '',
    endTime: endedAt,
  };
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
