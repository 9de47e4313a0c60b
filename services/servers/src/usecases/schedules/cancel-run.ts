import { randomUUID } from 'node:crypto';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { requireTaskPermissions } from '../../domain/schedules/author.js';
import {
  loadSchedule,
  type ScheduleIds,
  scheduleNotFound,
  visibleSchedule,
  type VisibleSchedule,
} from './load-schedule.js';

interface CancelledRun {
  readonly schedule: VisibleSchedule;
  /** False: there was none, or it was cancelled already. */
  readonly cancelled: boolean;
}

/**
 * A run that waits ends, one with a task in progress after that task, on whichever replica. Idempotent. Throws
 * SERVER_NOT_FOUND, SCHEDULE_NOT_FOUND, SERVER_FORBIDDEN, SERVER_LOCKED, SERVER_SUSPENDED.
 */
export async function cancelRun(
  context: Pick<ServersContext, 'stores' | 'installationClock' | 'webhooks'>,
  ids: ScheduleIds,
  caller: Caller,
): Promise<CancelledRun> {
  const { schedules } = context.stores;
  const { schedule, server, access } = await loadSchedule(context, ids, caller);
  requireTaskPermissions(access, schedule.tasks);
  checkUnlocked(server);
  const cancellation = { reason: 'a user cancelled it', at: context.installationClock() };
  const cancelled = await schedules.cancelRun(schedule.id, randomUUID(), cancellation);
  const shown = cancelled ?? (await schedules.get(schedule.id));
  if (!shown) throw scheduleNotFound();
  return { schedule: visibleSchedule(context, shown, access), cancelled: cancelled !== null };
}
