import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { DatabaseHost, ServerDatabase } from '../../domain/databases/database.js';
import { loadServer } from '../servers/load-server.js';

export interface DatabaseWithHost {
  readonly database: ServerDatabase;
  /** Null: missing, impossible while it has databases. */
  readonly host: DatabaseHost | null;
}

/** Oldest first, with sizes as fresh as the hosts answer. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN. */
export async function listDatabases(
  { stores, databaseSizes }: Pick<ServersContext, 'stores' | 'databaseSizes'>,
  serverId: string,
  caller: Caller,
): Promise<DatabaseWithHost[]> {
  const { server } = await loadServer({ stores }, serverId, caller);
  const databases = await stores.databases.ofServer(server.id);
  if (databases.length === 0) return [];
  const hosts = await stores.databaseHosts.getMany([...new Set(databases.map(({ hostId }) => hostId))]);
  const sizes = await databaseSizes.measure(databases, hosts);
  return databases.map((database) => ({
    database: { ...database, sizeBytes: sizes.get(database.id) ?? database.sizeBytes },
    host: hosts.find(({ id }) => id === database.hostId) ?? null,
  }));
}
