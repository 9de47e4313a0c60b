import { randomUUID } from 'node:crypto';
import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import type { ScheduleFields } from '../../domain/schedules/check-schedule.js';
import { type CronFields, nextRunTime } from '../../domain/schedules/cron.js';
import type { Schedule } from '../../domain/schedules/schedule.js';
import { fail } from '../../reasons.js';
import { authorOf, requireValid } from './create-schedule.js';
import {
  loadSchedule,
  requireTaskPermissions,
  type ScheduleIds,
  scheduleNotFound,
  visibleSchedule,
  type VisibleSchedule,
} from './load-schedule.js';

/** What is not given stays. Of `cron` each field by itself. */
export type ScheduleUpdate = Partial<Omit<ScheduleFields, 'cron'>> & { readonly cron?: Partial<CronFields> };

type Deps = Pick<ServersContext, 'stores' | 'clock' | 'players' | 'webhooks'>;

/**
 * The caller becomes the author, so they hold the permission of every task that the schedule has afterwards. Throws
 * INVALID_FIELDS, SERVER_NOT_FOUND, SCHEDULE_NOT_FOUND, SERVER_FORBIDDEN, SERVER_LOCKED, SERVER_SUSPENDED, SCHEDULE_CHANGED.
 */
export async function updateSchedule(
  context: Deps,
  ids: ScheduleIds,
  update: ScheduleUpdate,
  caller: Caller,
): Promise<VisibleSchedule> {
  const { stores, clock } = context;
  const { schedule, server, access } = await loadSchedule(context, ids, caller);
  const fields = merge(schedule, update);
  const at = clock();
  requireValid(fields, server, at);
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
  if (updated.trigger.kind === 'players_empty') await context.players.refresh();
  return visibleSchedule(context, updated, access);
}

/** Give the schedule a new web address. Throws as `updateSchedule`. */
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

function merge(schedule: Schedule, update: ScheduleUpdate): ScheduleFields {
  const { name, timezone, isActive, onlyWhenOnline, trigger, tasks } = { ...schedule, ...update };
  return { name, cron: { ...schedule.cron, ...update.cron }, timezone, isActive, onlyWhenOnline, trigger, tasks };
}

/** What decides when the schedule runs. */
function timesOf({ cron, timezone, isActive, trigger }: ScheduleFields): string {
  const { minute, hour, dayOfMonth, month, dayOfWeek } = cron;
  const { kind, emptyMinutes, joinPattern, leavePattern } = trigger;
  const times = [minute, hour, dayOfMonth, month, dayOfWeek, timezone, isActive];
  return JSON.stringify([...times, kind, emptyMinutes, joinPattern, leavePattern]);
}

function changed() {
  return fail('SCHEDULE_CHANGED', 'the schedule has changed meanwhile');
}
