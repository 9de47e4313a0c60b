import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { loadSchedule, type ScheduleIds, scheduleNotFound } from './load-schedule.js';

/**
 * A current run ends, after its task if one is in progress. Throws SERVER_NOT_FOUND, SCHEDULE_NOT_FOUND, SERVER_LOCKED,
 * SERVER_SUSPENDED.
 */
export async function deleteSchedule(
  context: Pick<ServersContext, 'stores'>,
  ids: ScheduleIds,
  caller: Caller,
): Promise<void> {
  const { schedule, server } = await loadSchedule(context, ids, caller);
  checkUnlocked(server);
  if (!(await context.stores.schedules.delete(server.id, schedule.id))) throw scheduleNotFound();
}
