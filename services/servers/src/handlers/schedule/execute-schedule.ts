import type { ScheduleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentSchedule } from '../../present/schedule.js';
import { executeSchedule } from '../../usecases/schedules/execute-schedule.js';

export function handleExecuteSchedule(context: ServersContext): Handler<ScheduleServiceService['executeSchedule']> {
  return async (request, call) => ({ schedule: presentSchedule(await executeSchedule(context, request, call)) });
}
