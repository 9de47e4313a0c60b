import type { Handler } from '@panel/rpc';
import type { ScheduleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { executeSchedule as execute } from '../../usecases/schedules/execute-schedule.js';
import { showSchedule } from './show-schedule.js';

export function executeSchedule(context: ServersContext): Handler<ScheduleServiceService['executeSchedule']> {
  return async (request, call) => ({ schedule: showSchedule(context, await execute(context, request, call)) });
}
