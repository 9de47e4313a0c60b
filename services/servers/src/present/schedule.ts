import { enumOf, messageFields } from '@panel/kit/records';
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
import { type EndedRun, scheduleLimits, type TaskResult } from '../domain/schedules/schedule.js';
import type { VisibleSchedule } from '../usecases/schedules/load-schedule.js';

export function presentSchedule(schedule: VisibleSchedule): ScheduleMessage {
  const { trigger, tasks, run, runs } = schedule;
  const current = run ? [presentRun({ ...run, status: 'running', error: null, endedAt: null })] : [];
  return {
    ...messageFields(schedule),
    active: schedule.isActive,
    trigger: { ...trigger, kind: enumOf(Trigger_Kind, trigger.kind) },
    tasks: tasks.map((task, index) => ({
      ...task,
      action: enumOf(ScheduleTask_Action, task.action),
      sequence: index + 1,
    })),
    lastRunTime: schedule.lastRunAt ?? undefined,
    nextRunTime: schedule.nextRunAt ?? undefined,
    runs: [...current, ...runs.map(presentRun)].slice(0, scheduleLimits.runs),
    webhookSignature: trigger.kind === 'webhook' ? schedule.webhookSignature : '',
    createTime: schedule.createdAt,
    updateTime: schedule.updatedAt,
  };
}

type PresentedRun = Pick<EndedRun, 'id' | 'cause' | 'startedAt' | 'error' | 'results'> & {
  readonly status: EndedRun['status'] | 'running';
  readonly endedAt: Date | null;
};

function presentRun(run: PresentedRun): RunMessage {
  return {
    id: run.id,
    status: enumOf(ScheduleRun_Status, run.status),
    cause: enumOf(ScheduleRun_Cause, run.cause),
    startTime: run.startedAt,
    endTime: run.endedAt ?? undefined,
    error: run.error ?? '',
    tasks: run.results.map(presentResult),
  };
}

function presentResult(result: TaskResult): ScheduleTaskResult {
  return {
    sequence: result.sequence,
    action: enumOf(ScheduleTask_Action, result.action),
    status: enumOf(ScheduleTaskResult_Status, result.status),
    error: result.error ?? '',
    endTime: result.endedAt,
  };
}
