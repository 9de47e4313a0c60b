import { randomUUID } from 'node:crypto';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { authorOf, requireTaskPermissions } from '../../domain/schedules/author.js';
import { beginRun, notRunnable } from '../../domain/schedules/run.js';
import { fail } from '../../reasons.js';
import {
  loadSchedule,
  type ScheduleIds,
  scheduleNotFound,
  visibleSchedule,
  type VisibleSchedule,
} from './load-schedule.js';

/** Merges simultaneous requests: minimum time between starts. */
const minIntervalMs = 2_000;

/**
 * Runs the tasks with the caller's permissions; resolves at the start. Throws SERVER_NOT_FOUND, SCHEDULE_NOT_FOUND,
 * SERVER_FORBIDDEN, SERVER_LOCKED, SERVER_SUSPENDED, SERVER_OFFLINE, SCHEDULE_EMPTY, SCHEDULE_RUNNING.
 */
export async function executeSchedule(
  context: Pick<ServersContext, 'stores' | 'installationClock' | 'schedules' | 'webhooks'>,
  ids: ScheduleIds,
  caller: Caller,
): Promise<VisibleSchedule> {
  const { stores, installationClock, schedules } = context;
  const { schedule, server, access } = await loadSchedule(context, ids, caller);
  requireTaskPermissions(access, schedule.tasks);
  checkUnlocked(server);
  if (schedule.tasks.length === 0) throw fail('SCHEDULE_EMPTY', 'the schedule has no tasks');
  const at = installationClock();
  const run = beginRun(schedule, { id: randomUUID(), cause: 'manual', authorId: authorOf(caller, server), at });
  if (notRunnable(server, run) !== null) {
    throw fail('SERVER_OFFLINE', 'the schedule runs only while the server does, and the server does not run');
  }
  const started = await stores.schedules.startManually(schedule.id, run, new Date(at.getTime() - minIntervalMs));
  if (!started) throw (await stores.schedules.get(schedule.id)) ? running() : scheduleNotFound();
  schedules.execute(started, run);
  return visibleSchedule(context, started, access);
}

/** For a webhook. Same result with and without such a schedule. */
export async function triggerSchedule(
  { triggers }: Pick<ServersContext, 'triggers'>,
  scheduleId: string,
  signature: string,
): Promise<void> {
  await triggers.call(scheduleId, signature);
}

function running() {
  return fail('SCHEDULE_RUNNING', 'a run of this schedule is in progress or has just started');
}
