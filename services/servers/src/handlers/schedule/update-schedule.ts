import { randomUUID } from 'node:crypto';
import type { Handler } from '@panel/rpc';
import type { ScheduleServiceService, UpdateScheduleRequest } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { readCron, readTasks, readTrigger } from '../../present/schedule.js';
import { type ScheduleUpdate, updateSchedule as update } from '../../usecases/schedules/update-schedule.js';
import { showSchedule } from './show-schedule.js';

export function updateSchedule(context: ServersContext): Handler<ScheduleServiceService['updateSchedule']> {
  return async (request, call) => ({
    schedule: showSchedule(context, await update(context, request, readUpdate(request), call)),
  });
}

function readUpdate({ name, cron, timezone, active, onlyWhenOnline, trigger, tasks }: UpdateScheduleRequest) {
  const update: ScheduleUpdate = {
    cron: readCron(cron),
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(active === undefined ? {} : { isActive: active }),
    ...(onlyWhenOnline === undefined ? {} : { onlyWhenOnline }),
    ...(trigger === undefined ? {} : { trigger: readTrigger(trigger) }),
    ...(tasks === undefined ? {} : { tasks: readTasks(tasks.tasks, randomUUID) }),
  };
  return update;
}
