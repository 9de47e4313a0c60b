import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { type Access, allows } from '../../domain/servers/access.js';
import type { Schedule } from '../../domain/schedules/schedule.js';
import type { GameServer } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { loadServer } from '../servers/load-server.js';

interface LoadedSchedule {
  readonly schedule: Schedule;
  readonly server: GameServer;
  readonly access: Access;
}

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, SCHEDULE_NOT_FOUND. */
export async function loadSchedule(
  context: Pick<ServersContext, 'stores'>,
  { serverId, scheduleId }: ScheduleIds,
  caller: Caller,
): Promise<LoadedSchedule> {
  const { server, access } = await loadServer(context, serverId, caller);
  const schedule = await context.stores.schedules.get(scheduleId);
  // Another server's: as for a random id.
  if (schedule?.serverId !== server.id) throw scheduleNotFound();
  return { schedule, server, access };
}

export interface VisibleSchedule extends Schedule {
  /** Empty without the permission to change it. */
  readonly webhookSignature: string;
}

export type ScheduleIds = { readonly serverId: string; readonly scheduleId: string };

export function visibleSchedule(
  { webhooks }: Pick<ServersContext, 'webhooks'>,
  schedule: Schedule,
  access: Access,
): VisibleSchedule {
  return { ...schedule, webhookSignature: allows(access, 'schedule.update') ? webhooks.sign(schedule) : '' };
}

export function scheduleNotFound() {
  return fail('SCHEDULE_NOT_FOUND', 'no such schedule');
}
