import type { ScheduleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentSchedule } from '../../present/schedule.js';
import { updateSchedule } from '../../usecases/schedules/update-schedule.js';
import { readScheduleUpdate } from './read-request.js';

export function handleUpdateSchedule(context: ServersContext): Handler<ScheduleServiceService['updateSchedule']> {
  return async (request, call) => ({
    schedule: presentSchedule(await updateSchedule(context, request, readScheduleUpdate(request), call)),
  });
}
