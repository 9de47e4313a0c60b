import type { PageQuery } from '@panel/kit/mongo';
import type { ServersContext } from '../../context.js';
import { reconcileHost } from '../../database-engines/reconcile-hosts.js';
import type { DatabaseHost, HostReport } from '../../domain/databases/database.js';
import { fail } from '../../reasons.js';

type HostDeps = Pick<ServersContext, 'stores'>;

/** Throws DATABASE_HOST_NOT_FOUND. */
export async function getDatabaseHost({ stores }: HostDeps, hostId: string): Promise<DatabaseHost> {
  const host = await stores.databaseHosts.get(hostId);
  if (!host) throw fail('DATABASE_HOST_NOT_FOUND', 'no such database host', { host_id: hostId });
  return host;
}

/** By node; empty: all. */
export async function listDatabaseHosts(
  { stores }: HostDeps,
  nodeId: string,
  page: PageQuery,
): Promise<{ hosts: DatabaseHost[]; total: number }> {
  return stores.databaseHosts.list(page, nodeId);
}

/** A new comparison if `isFresh`, else the last. Throws DATABASE_HOST_NOT_FOUND. */
export async function getDatabaseHostReport(
  context: ServersContext,
  hostId: string,
  isFresh: boolean,
): Promise<HostReport> {
  const host = await getDatabaseHost(context, hostId);
  return isFresh ? reconcileHost(context, host) : host.report;
}
