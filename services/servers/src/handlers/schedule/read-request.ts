import { randomUUID } from 'node:crypto';
import { invalidFields, fieldProblem } from '@panel/kit/errors';
import { wordOf } from '@panel/kit/records';
import {
  type CreateScheduleRequest,
  type Cron,
  type ScheduleTask as TaskMessage,
  ScheduleTask_Action,
  Trigger as TriggerMessage,
  Trigger_Kind,
  type UpdateScheduleRequest,
} from '@panel/protos/servers';
import { definedFields } from '../../defined-fields.js';
import type { ScheduleFields, ScheduleUpdate } from '../../domain/schedules/check-schedule.js';
import type { CronFields } from '../../domain/schedules/cron.js';
import { type ScheduleTask, type Trigger, triggerKinds } from '../../domain/schedules/schedule.js';

const everyMinute = { minute: '*', hour: '*', dayOfMonth: '*', month: '*', dayOfWeek: '*' };

/** Minecraft's; other games' schedules set their own. */
const defaultPatterns = { join: 'joined the game', leave: 'left the game' };

/** Throws INVALID_FIELDS. */
export function readNewSchedule(request: CreateScheduleRequest): ScheduleFields {
  return {
    name: request.name.trim(),
    cron: { ...everyMinute, ...readCron(request.cron) },
    timezone: request.timezone || 'UTC',
    isActive: request.active ?? true,
    onlyWhenOnline: request.onlyWhenOnline,
    trigger: readTrigger(request.trigger ?? TriggerMessage.create({ kind: Trigger_Kind.CRON })),
    tasks: readTasks(request.tasks),
  };
}

/** Throws INVALID_FIELDS. */
export function readScheduleUpdate(request: UpdateScheduleRequest): ScheduleUpdate {
  const { name, cron, timezone, active: isActive, onlyWhenOnline, trigger, tasks } = request;
  return {
    cron: readCron(cron),
    ...definedFields({
      name: name?.trim(),
      timezone,
      isActive,
      onlyWhenOnline,
      trigger: trigger && readTrigger(trigger),
      tasks: tasks && readTasks(tasks.tasks),
    }),
  };
}

function readCron(cron: Cron | undefined): Partial<CronFields> {
  if (!cron) return {};
  const { minute, hour, dayOfMonth, month, dayOfWeek } = cron;
  const fields = Object.entries({ minute, hour, dayOfMonth, month, dayOfWeek });
  return Object.fromEntries(fields.filter(([, text]) => text !== ''));
}

/** Throws INVALID_FIELDS. */
function readTrigger({ kind: sent, emptyMinutes, joinPattern, leavePattern }: TriggerMessage): Trigger {
  const kind = wordOf(Trigger_Kind, sent);
  if (!kind)
    throw invalidFields({ 'trigger.kind': [fieldProblem('not_allowed', `must be ${triggerKinds.join(', ')}`)] });
  if (kind !== 'players_empty') return { kind, emptyMinutes: 0, joinPattern: '', leavePattern: '' };
  return {
    kind,
    emptyMinutes,
    joinPattern: joinPattern || defaultPatterns.join,
    leavePattern: leavePattern || defaultPatterns.leave,
  };
}

/** New tasks get an id. Throws INVALID_FIELDS. */
function readTasks(tasks: readonly TaskMessage[]): ScheduleTask[] {
  const ids = new Set<string>();
  return tasks.map(({ id, action: sent, payload, timeOffsetSeconds, continueOnFailure }, index) => {
    const action = wordOf(ScheduleTask_Action, sent);
    if (!action)
      throw invalidFields({
        [`tasks.${index}.action`]: [fieldProblem('not_allowed', 'must be command, power or backup')],
      });
    if (id.length > 64 || ids.has(id)) throw invalidFields({ [`tasks.${index}.id`]: ['must be of one task'] });
    if (id !== '') ids.add(id);
    return { id: id || randomUUID(), action, payload, timeOffsetSeconds, continueOnFailure };
  });
}
