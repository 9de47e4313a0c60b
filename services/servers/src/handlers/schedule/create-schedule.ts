import type { ScheduleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentSchedule } from '../../present/schedule.js';
import { createSchedule } from '../../usecases/schedules/create-schedule.js';
import { readNewSchedule } from './read-request.js';

export function handleCreateSchedule(context: ServersContext): Handler<ScheduleServiceService['createSchedule']> {
  return async (request, call) => ({
    schedule: presentSchedule(await createSchedule(context, request.serverId, readNewSchedule(request), call)),
  });
}
