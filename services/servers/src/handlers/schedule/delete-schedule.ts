import type { Handler } from '@panel/rpc';
import type { ScheduleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { deleteSchedule as remove } from '../../usecases/schedules/delete-schedule.js';

export function deleteSchedule(context: ServersContext): Handler<ScheduleServiceService['deleteSchedule']> {
  return async (request, call) => {
    await remove(context, request, call);
    return {};
  };
}
