import { randomUUID } from 'node:crypto';
import { type CallContext, type Caller, createOnce } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { serverNotFound } from '../../domain/servers/access.js';
import { authorOf, requireTaskPermissions } from '../../domain/schedules/author.js';
import { requireSchedule, type ScheduleFields } from '../../domain/schedules/check-schedule.js';
import { nextRunTime } from '../../domain/schedules/cron.js';
import type { Schedule } from '../../domain/schedules/schedule.js';
import type { GameServer } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { createInQueue } from '../servers/create-in-queue.js';
import { loadServer } from '../servers/load-server.js';
import { visibleSchedule, type VisibleSchedule } from './load-schedule.js';

type Deps = Pick<ServersContext, 'stores' | 'installationClock' | 'players' | 'webhooks' | 'creationQueue'>;

/**
 * Idempotent by `idempotencyId`. Throws INVALID_FIELDS, SERVER_NOT_FOUND, SERVER_FORBIDDEN, SERVER_LOCKED,
 * SERVER_SUSPENDED, SCHEDULE_LIMIT, RATE_LIMIT_EXCEEDED.
 */
export async function createSchedule(
  context: Deps,
  serverId: string,
  fields: ScheduleFields,
  call: CallContext,
): Promise<VisibleSchedule> {
  return createInQueue(context, serverId, call, async () => createChecked(context, serverId, fields, call));
}

async function createChecked(
  context: Deps,
  serverId: string,
  fields: ScheduleFields,
  caller: CallContext,
): Promise<VisibleSchedule> {
  const { server, access } = await loadServer(context, serverId, caller);
  const at = context.installationClock();
  requireSchedule(fields, { backupsLimit: server.featureLimits.backups, at });
  requireTaskPermissions(access, fields.tasks);
  checkUnlocked(server);
  const { object: schedule } = await createOnce(caller.idempotencyId, {
    find: async (id) => context.stores.schedules.get(id),
    create: async (id) => create(context, id, server, fields, caller),
  });
  if (schedule.trigger.kind === 'players_empty') await context.players.refresh();
  return visibleSchedule(context, schedule, access);
}

async function create(
  { stores, installationClock }: Pick<ServersContext, 'stores' | 'installationClock'>,
  id: string,
  server: GameServer,
  fields: ScheduleFields,
  caller: Caller,
): Promise<Schedule> {
  const at = installationClock();
  const created = await stores.schedules.create({
    id,
    serverId: server.id,
    ...fields,
    authorId: authorOf(caller, server),
    revision: randomUUID(),
    lastRunAt: null,
    nextRunAt: nextRunTime(fields, at),
    run: null,
    runs: [],
    players: null,
    webhookNonce: randomUUID(),
    createdAt: at,
    updatedAt: at,
  });
  if (!created) throw fail('SCHEDULE_LIMIT', 'the server has as many schedules as it may have');
  // A server's deletion marks it before it removes schedules: one of the two sees the other.
  const [current] = await stores.servers.states([server.id]);
  if (current && current.operation?.kind !== 'deleting') return created;
  await stores.schedules.delete(server.id, id);
  throw serverNotFound();
}
