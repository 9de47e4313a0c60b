import { type Handler, presentEach } from '@panel/rpc';
import { Schedule, type ScheduleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { loadServer } from '../../usecases/servers/load-server.js';
import { showSchedule } from './show-schedule.js';

export function listSchedules(context: ServersContext): Handler<ScheduleServiceService['listSchedules']> {
  return async ({ serverId }, call) => {
    const { server, access } = await loadServer(context, serverId, call);
    const schedules = await context.stores.schedules.ofServer(server.id);
    return {
      schedules: presentEach(call, schedules, (schedule) => showSchedule(context, { schedule, access }), Schedule),
    };
  };
}
