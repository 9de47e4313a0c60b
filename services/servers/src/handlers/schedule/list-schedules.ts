import { Schedule, type ScheduleServiceService } from '@panel/protos/servers';
import { type Handler, presentEach } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentSchedule } from '../../present/schedule.js';
import { listSchedules } from '../../usecases/schedules/get-schedule.js';

export function handleListSchedules(context: ServersContext): Handler<ScheduleServiceService['listSchedules']> {
  return async ({ serverId }, call) => {
    const schedules = await listSchedules(context, serverId, call);
    return { schedules: presentEach(call, schedules, presentSchedule, Schedule) };
  };
}
