import type { Actor } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { forgetHost } from '../../database-engines/forget-host.js';
import { fail } from '../../reasons.js';
import { getDatabaseHost } from './get-database-host.js';

/**
 * With `force` also a host that has databases: their records go with it, and nothing is done on the host. Final once it
 * has begun: a job retries. Resolves with the count of forgotten databases. Throws DATABASE_HOST_NOT_FOUND,
 * DATABASE_HOST_IN_USE.
 */
export async function deleteDatabaseHost(
  context: Pick<ServersContext, 'stores' | 'activity' | 'failpoint' | 'log' | 'clock'>,
  { hostId, force }: { readonly hostId: string; readonly force: boolean },
  actor: Actor,
): Promise<number> {
  const { stores, failpoint, clock } = context;
  if (!force) {
    await deleteUnused(context, hostId);
    return 0;
  }
  if (!(await stores.databaseHosts.beginRemoval(hostId, clock()))) await getDatabaseHost(context, hostId);
  failpoint('database_host.removing');
  return forgetHost(context, hostId, actor);
}

async function deleteUnused({ stores }: Pick<ServersContext, 'stores'>, hostId: string): Promise<void> {
  if (await stores.databaseHosts.delete(hostId)) return;
  const { databasesCount } = await getDatabaseHost({ stores }, hostId);
  const servers = new Set((await stores.databases.refsOfHost(hostId)).map(({ serverId }) => serverId)).size;
  throw fail(
    'DATABASE_HOST_IN_USE',
    `the host has ${databasesCount} databases of ${servers} servers: delete them, or remove the host with force=true if it is lost`,
    { databases_count: databasesCount, servers_count: servers },
  );
}
