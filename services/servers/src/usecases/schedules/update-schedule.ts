import { randomUUID } from 'node:crypto';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { authorOf, requireTaskPermissions } from '../../domain/schedules/author.js';
import { mergeSchedule, requireSchedule, type ScheduleUpdate, timesOf } from '../../domain/schedules/check-schedule.js';
import { withoutRemoved } from '../../domain/schedules/run.js';
import { nextRunTime } from '../../domain/schedules/cron.js';
import type { Schedule } from '../../domain/schedules/schedule.js';
import { fail } from '../../reasons.js';
import {
  loadSchedule,
  type ScheduleIds,
  scheduleNotFound,
  visibleSchedule,
  type VisibleSchedule,
} from './load-schedule.js';

type Deps = Pick<ServersContext, 'stores' | 'installationClock' | 'players' | 'webhooks'>;

/**
 * Switching it off cancels its run; one that waits ends when none of its tasks is left. The caller becomes the author and needs the permissions of all resulting
 * tasks. Throws INVALID_FIELDS, SERVER_NOT_FOUND, SCHEDULE_NOT_FOUND, SERVER_FORBIDDEN, SERVER_LOCKED, SERVER_SUSPENDED,
 * SCHEDULE_CHANGED.
 */
export async function updateSchedule(
  context: Deps,
  ids: ScheduleIds,
  update: ScheduleUpdate,
  caller: Caller,
): Promise<VisibleSchedule> {
  const { stores, installationClock } = context;
  const { schedule, server, access } = await loadSchedule(context, ids, caller);
  const fields = mergeSchedule(schedule, update);
  const at = installationClock();
  requireSchedule(fields, { backupsLimit: server.featureLimits.backups, at });
  requireTaskPermissions(access, fields.tasks);
  checkUnlocked(server);
  const hasNewTimes = timesOf(schedule) !== timesOf(fields);
  const changes = {
    ...fields,
    ...(hasNewTimes ? { nextRunAt: nextRunTime(fields, at), players: null } : {}),
    authorId: authorOf(caller, server),
    updatedAt: at,
  };
  const cancellation = update.isActive === false ? { reason: 'the schedule was deactivated', at } : undefined;
  const updated = await stores.schedules.update(schedule.id, schedule.revision, randomUUID(), changes, cancellation);
  if (!updated) throw (await stores.schedules.get(schedule.id)) ? changed() : scheduleNotFound();
  if (updated.trigger.kind === 'players_empty') await context.players.refresh();
  return visibleSchedule(context, await endWithoutTasks(stores, updated, at), access);
}

/** A run that waits goes on with the tasks that are left when it is due; without one there is nothing to wait for. */
async function endWithoutTasks({ schedules }: Deps['stores'], schedule: Schedule, at: Date): Promise<Schedule> {
  const { run, tasks } = schedule;
  const change = run?.phase === 'waiting' ? withoutRemoved(run, tasks, at) : null;
  if (!run || !change || 'next' in change) return schedule;
  await schedules.endRun({ schedule, run }, change.ended, false);
  return (await schedules.get(schedule.id)) ?? schedule;
}

/** Throws as `updateSchedule`. */
export async function rotateScheduleWebhook(context: Deps, ids: ScheduleIds, caller: Caller): Promise<VisibleSchedule> {
  const { stores, installationClock } = context;
  const { schedule, server, access } = await loadSchedule(context, ids, caller);
  requireTaskPermissions(access, schedule.tasks);
  checkUnlocked(server);
  const changes = { webhookNonce: randomUUID(), authorId: authorOf(caller, server), updatedAt: installationClock() };
  const updated = await stores.schedules.update(schedule.id, schedule.revision, randomUUID(), changes);
  if (!updated) throw changed();
  return visibleSchedule(context, updated, access);
}

function changed() {
  return fail('SCHEDULE_CHANGED', 'the schedule has changed meanwhile');
}
