import type { ScheduleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentSchedule } from '../../present/schedule.js';
import { getSchedule } from '../../usecases/schedules/get-schedule.js';

export function handleGetSchedule(context: ServersContext): Handler<ScheduleServiceService['getSchedule']> {
  return async (request, call) => ({ schedule: presentSchedule(await getSchedule(context, request, call)) });
}
