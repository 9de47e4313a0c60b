import { randomUUID } from 'node:crypto';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { authorOf, requireTaskPermissions } from '../../domain/schedules/author.js';
import { mergeSchedule, requireSchedule, type ScheduleUpdate, timesOf } from '../../domain/schedules/check-schedule.js';
import { endOfSwitchedOff } from '../../domain/schedules/run.js';
import { nextRunTime } from '../../domain/schedules/cron.js';
import { fail } from '../../reasons.js';
import {
  loadSchedule,
  type ScheduleIds,
  scheduleNotFound,
  visibleSchedule,
  type VisibleSchedule,
} from './load-schedule.js';

type Deps = Pick<ServersContext, 'stores' | 'clock' | 'players' | 'webhooks'>;

/**
 * Switching it off ends a run that waits. The caller becomes the author and needs the permissions of all resulting
 * tasks. Throws INVALID_FIELDS, SERVER_NOT_FOUND, SCHEDULE_NOT_FOUND, SERVER_FORBIDDEN, SERVER_LOCKED, SERVER_SUSPENDED,
 * SCHEDULE_CHANGED.
 */
export async function updateSchedule(
  context: Deps,
  ids: ScheduleIds,
  update: ScheduleUpdate,
  caller: Caller,
): Promise<VisibleSchedule> {
  const { stores, clock } = context;
  const { schedule, server, access } = await loadSchedule(context, ids, caller);
  const fields = mergeSchedule(schedule, update);
  const at = clock();
  requireSchedule(fields, { backupsLimit: server.featureLimits.backups, at });
  requireTaskPermissions(access, fields.tasks);
  checkUnlocked(server);
  const hasNewTimes = timesOf(schedule) !== timesOf(fields);
  const updated = await stores.schedules.update(schedule.id, schedule.revision, randomUUID(), {
    ...fields,
    ...(hasNewTimes ? { nextRunAt: nextRunTime(fields, at), players: null } : {}),
    authorId: authorOf(caller, server),
    updatedAt: at,
  });
  if (!updated) throw (await stores.schedules.get(schedule.id)) ? changed() : scheduleNotFound();
  const { run } = updated;
  if (schedule.isActive && !updated.isActive && run?.phase === 'waiting') {
    await stores.schedules.endRun(updated.id, run, endOfSwitchedOff(run, at), false);
  }
  if (updated.trigger.kind === 'players_empty') await context.players.refresh();
  return visibleSchedule(context, updated, access);
}

/** Throws as `updateSchedule`. */
export async function rotateScheduleWebhook(context: Deps, ids: ScheduleIds, caller: Caller): Promise<VisibleSchedule> {
  const { stores, clock } = context;
  const { schedule, server, access } = await loadSchedule(context, ids, caller);
  requireTaskPermissions(access, schedule.tasks);
  checkUnlocked(server);
  const changes = { webhookNonce: randomUUID(), authorId: authorOf(caller, server), updatedAt: clock() };
  const updated = await stores.schedules.update(schedule.id, schedule.revision, randomUUID(), changes);
  if (!updated) throw changed();
  return visibleSchedule(context, updated, access);
}

function changed() {
  return fail('SCHEDULE_CHANGED', 'the schedule has changed meanwhile');
}
