import type { ScheduleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { triggerSchedule } from '../../usecases/schedules/execute-schedule.js';

export function handleTriggerSchedule(context: ServersContext): Handler<ScheduleServiceService['triggerSchedule']> {
  return async ({ scheduleId, signature }) => {
    await triggerSchedule(context, scheduleId, signature);
    return {};
  };
}
