import type { ServersContext } from '../../context.js';
import type { UsageHour } from '../../domain/usage/usage-hour.js';

/** What one server has used. */
export interface HourlyUsage {
  readonly serverId: string;
  /** Oldest first. */
  readonly hours: readonly UsageHour[];
  /** Hours that end by then do not change any more; null: nothing was measured yet. */
  readonly completeUntil: Date | null;
}

/** Usage of servers by hour. Of a server that is gone everything is complete. */
export async function listHourlyUsage(
  { stores }: Pick<ServersContext, 'stores'>,
  serverIds: readonly string[],
  from: Date,
  until: Date,
): Promise<HourlyUsage[]> {
  // Before the hours: what is complete by now is read afterwards.
  const existing = new Set((await stores.servers.states(serverIds)).map(({ id }) => id));
  return Promise.all(
    serverIds.map(async (serverId) => {
      const latest = await stores.usage.latest(serverId);
      const hours = await stores.usage.list(serverId, from, until);
      return { serverId, hours, completeUntil: existing.has(serverId) ? (latest?.sampledAt ?? null) : until };
    }),
  );
}
