import { randomUUID } from 'node:crypto';
import type { Handler } from '@panel/rpc';
import { type ScheduleServiceService, Trigger, Trigger_Kind } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { readCron, readTasks, readTrigger } from '../../present/schedule.js';
import { createSchedule as create } from '../../usecases/schedules/create-schedule.js';
import { createInQueue } from '../../usecases/servers/create-in-queue.js';
import { showSchedule } from './show-schedule.js';

const everyMinute = { minute: '*', hour: '*', dayOfMonth: '*', month: '*', dayOfWeek: '*' };

export function createSchedule(context: ServersContext): Handler<ScheduleServiceService['createSchedule']> {
  return async (request, call) => {
    const fields = {
      name: request.name.trim(),
      cron: { ...everyMinute, ...readCron(request.cron) },
      timezone: request.timezone || 'UTC',
      isActive: request.active ?? true,
      onlyWhenOnline: request.onlyWhenOnline,
      trigger: readTrigger(request.trigger ?? Trigger.create({ kind: Trigger_Kind.CRON })),
      tasks: readTasks(request.tasks, randomUUID),
    };
    const creation = async () => create(context, request.serverId, fields, call);
    return { schedule: showSchedule(context, await createInQueue(context, request.serverId, call, creation)) };
  };
}
