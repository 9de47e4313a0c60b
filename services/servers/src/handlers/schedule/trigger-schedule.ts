import type { Handler } from '@panel/rpc';
import type { ScheduleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';

export function triggerSchedule({ triggers }: ServersContext): Handler<ScheduleServiceService['triggerSchedule']> {
  return async ({ scheduleId, signature }) => {
    await triggers.call(scheduleId, signature);
    return {};
  };
}
