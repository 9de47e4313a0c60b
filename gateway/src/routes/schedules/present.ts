import {
  type Cron,
  type Schedule,
  type ScheduleRun,
  ScheduleTask,
  ScheduleTask_Action,
  Trigger,
  Trigger_Kind,
} from '@panel/protos/servers';
import type { z } from 'zod';
import { enumWord, failureOrNull, isoTime, isoTimeOf, required, textOrNull } from '../../declaration/present.js';
import type { schedule as scheduleSchema, ScheduleBody } from './schema.js';

type ScheduleJson = z.input<typeof scheduleSchema>;
type RunJson = ScheduleJson['runs'][number];

export const hookPath = '/api/v1/hooks/schedules';

const triggerKinds = {
  cron: Trigger_Kind.CRON,
  server_started: Trigger_Kind.SERVER_STARTED,
  server_crashed: Trigger_Kind.SERVER_CRASHED,
  players_empty: Trigger_Kind.PLAYERS_EMPTY,
  backup_failed: Trigger_Kind.BACKUP_FAILED,
  webhook: Trigger_Kind.WEBHOOK,
} as const;

const actions = {
  command: ScheduleTask_Action.COMMAND,
  power: ScheduleTask_Action.POWER,
  backup: ScheduleTask_Action.BACKUP,
} as const;

const defaultEmptyMinutes = 10;

export function presentSchedule(sent: Schedule | undefined): ScheduleJson {
  const schedule = required(sent, 'schedule');
  const { id, name, timezone, webhookSignature } = schedule;
  return {
    id,
    name,
    cron: presentCron(required(schedule.cron, 'cron')),
    timezone,
    is_active: schedule.active,
    only_when_online: schedule.onlyWhenOnline,
    trigger: presentTrigger(required(schedule.trigger, 'trigger')),
    author_id: schedule.authorId,
    last_run_at: isoTime(schedule.lastRunTime),
    next_run_at: isoTime(schedule.nextRunTime),
    tasks: schedule.tasks.map((task) => ({
      id: task.id,
      sequence: task.sequence,
      action: actionWord(task.action),
      payload: task.payload,
      time_offset: task.timeOffsetSeconds,
      continue_on_failure: task.continueOnFailure,
    })),
    runs: schedule.runs.map(presentRun),
    webhook_url: webhookSignature === '' ? null : `${hookPath}/${id}?signature=${webhookSignature}`,
    created_at: isoTimeOf(schedule.createTime),
    updated_at: isoTimeOf(schedule.updateTime),
  };
}

function presentCron({ minute, hour, dayOfMonth, month, dayOfWeek }: Cron): ScheduleJson['cron'] {
  return { minute, hour, day_of_month: dayOfMonth, month, day_of_week: dayOfWeek };
}

function presentTrigger({ kind, emptyMinutes, joinPattern, leavePattern }: Trigger): ScheduleJson['trigger'] {
  return {
    kind: enumWord(kind, 'KIND_') as keyof typeof triggerKinds,
    empty_minutes: emptyMinutes === 0 ? null : emptyMinutes,
    join_pattern: textOrNull(joinPattern),
    leave_pattern: textOrNull(leavePattern),
  };
}

function presentRun({ id, status, cause, startTime, endTime, error, tasks }: ScheduleRun): RunJson {
  return {
    id,
    status: enumWord(status, 'STATUS_') as RunJson['status'],
    cause: enumWord(cause, 'CAUSE_') as RunJson['cause'],
    started_at: isoTimeOf(startTime),
    ended_at: isoTime(endTime),
    error: failureOrNull(error),
    tasks: tasks.map((task) => ({
      sequence: task.sequence,
      action: actionWord(task.action),
      status: enumWord(task.status, 'STATUS_') as RunJson['tasks'][number]['status'],
      error: failureOrNull(task.error),
      ended_at: isoTimeOf(task.endTime),
    })),
  };
}

function actionWord(action: ScheduleTask_Action): keyof typeof actions {
  return enumWord(action, 'ACTION_') as keyof typeof actions;
}

/** The fields of a cron expression, as an object or each by itself; the object decides. */
export function readCron(body: ScheduleBody): Cron {
  const { minute, hour, day_of_month, month, day_of_week } = { ...body, ...body.cron };
  return {
    minute: minute ?? '',
    hour: hour ?? '',
    dayOfMonth: day_of_month ?? '',
    month: month ?? '',
    dayOfWeek: day_of_week ?? '',
  };
}

export function readTrigger(trigger: ScheduleBody['trigger']): Trigger | undefined {
  if (!trigger) return undefined;
  return Trigger.create({
    kind: triggerKinds[trigger.kind],
    emptyMinutes: trigger.empty_minutes ?? defaultEmptyMinutes,
    joinPattern: trigger.join_pattern ?? '',
    leavePattern: trigger.leave_pattern ?? '',
  });
}

export function readTasks(tasks: NonNullable<ScheduleBody['tasks']>): ScheduleTask[] {
  return tasks.map(({ id, action, payload, time_offset, continue_on_failure }) =>
    ScheduleTask.create({
      id: id ?? '',
      action: actions[action],
      payload,
      timeOffsetSeconds: time_offset,
      continueOnFailure: continue_on_failure,
    }),
  );
}
