import type { ActivityLog } from '@panel/activity';
import type { Jobs } from '@panel/kit/process';
import { type Actor, derivedId } from '@panel/rpc';
import type { DatabaseDeps } from './dependencies.js';

type ForgetHostDeps = Pick<DatabaseDeps, 'stores' | 'failpoint' | 'log'> & {
  readonly activity: Pick<ActivityLog, 'record'>;
};

/**
 * Removes a lost host whose removal has begun, with the records of its databases: their servers and the activity log of
 * each first, the host last. Nothing is done on the host. Idempotent. Resolves with the count of databases.
 */
export async function forgetHost(deps: ForgetHostDeps, hostId: string, actor: Actor | null): Promise<number> {
  const { stores, activity, failpoint, log } = deps;
  const databases = await stores.databases.refsOfHost(hostId);
  for (const { id, serverId, name } of databases) {
    // A fixed id: a repetition is one event.
    const event = { event: 'server:database.lost', serverId, properties: { id, name } } as const;
    await activity.record(event, actor, derivedId(id, 'lost'));
    failpoint('database_host.told');
    await stores.servers.updates.removeDatabase(serverId, id);
    failpoint('database_host.slot_released');
    await stores.databases.forget(id);
  }
  failpoint('database_host.before_removal');
  await stores.databaseHosts.completeRemoval(hostId);
  if (databases.length > 0) log.warn({ hostId, databases: databases.length }, 'a lost database host was removed');
  return databases.length;
}

/** Completes removals of dead processes. */
export async function resumeHostRemovals(deps: ForgetHostDeps & { readonly attempt: Jobs['attempt'] }): Promise<void> {
  for (const hostId of await deps.stores.databaseHosts.removing())
    await deps.attempt('remove-database-hosts', hostId, async () => void (await forgetHost(deps, hostId, null)));
}
