import type { ScheduleServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentSchedule } from '../../present/schedule.js';
import { cancelRun } from '../../usecases/schedules/cancel-run.js';

export function handleCancelRun(context: ServersContext): Handler<ScheduleServiceService['cancelRun']> {
  return async (request, call) => {
    const { schedule, cancelled } = await cancelRun(context, request, call);
    return { schedule: presentSchedule(schedule), cancelled };
  };
}
