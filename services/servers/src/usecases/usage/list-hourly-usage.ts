import type { ServersContext } from '../../context.js';
import type { UsageHour } from '../../domain/usage/usage-hour.js';

export interface HourlyUsage {
  readonly serverId: string;
  /** Oldest first. */
  readonly hours: readonly UsageHour[];
  /** Hours that end by then are final; null: no measurement yet. */
  readonly completeUntil: Date | null;
}

/** All hours of a deleted server are final. */
export async function listHourlyUsage(
  { stores }: Pick<ServersContext, 'stores'>,
  serverIds: readonly string[],
  from: Date,
  until: Date,
): Promise<HourlyUsage[]> {
  // Before the hours: those final now are read afterwards.
  const existing = new Set((await stores.servers.states(serverIds)).map(({ id }) => id));
  return Promise.all(
    serverIds.map(async (serverId) => {
      const latest = await stores.usage.latest(serverId);
      const hours = await stores.usage.list(serverId, from, until);
      return { serverId, hours, completeUntil: existing.has(serverId) ? (latest?.sampledAt ?? null) : until };
    }),
  );
}
