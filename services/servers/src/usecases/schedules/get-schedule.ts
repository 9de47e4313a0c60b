import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { loadServer } from '../servers/load-server.js';
import { loadSchedule, type ScheduleIds, visibleSchedule, type VisibleSchedule } from './load-schedule.js';

type ScheduleDeps = Pick<ServersContext, 'stores' | 'webhooks'>;

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, SCHEDULE_NOT_FOUND. */
export async function getSchedule(context: ScheduleDeps, ids: ScheduleIds, caller: Caller): Promise<VisibleSchedule> {
  const { schedule, access } = await loadSchedule(context, ids, caller);
  return visibleSchedule(context, schedule, access);
}

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN. */
export async function listSchedules(
  context: ScheduleDeps,
  serverId: string,
  caller: Caller,
): Promise<VisibleSchedule[]> {
  const { server, access } = await loadServer(context, serverId, caller);
  const schedules = await context.stores.schedules.ofServer(server.id);
  return schedules.map((schedule) => visibleSchedule(context, schedule, access));
}
