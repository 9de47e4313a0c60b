import type { Handler } from '@panel/rpc';
import type { ScheduleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { loadSchedule } from '../../usecases/schedules/load-schedule.js';
import { showSchedule } from './show-schedule.js';

export function getSchedule(context: ServersContext): Handler<ScheduleServiceService['getSchedule']> {
  return async (request, call) => ({ schedule: showSchedule(context, await loadSchedule(context, request, call)) });
}
