import type { ScheduleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteSchedule } from '../../usecases/schedules/delete-schedule.js';

export function handleDeleteSchedule(context: ServersContext): Handler<ScheduleServiceService['deleteSchedule']> {
  return async (request, call) => {
    await deleteSchedule(context, request, call);
    return {};
  };
}
