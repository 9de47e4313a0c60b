import type { ServersContext } from '../../context.js';
import type { DatabaseHost, ServerDatabase } from '../../domain/databases/database.js';
import type { GameServer } from '../../domain/servers/server.js';

export interface DatabaseWithHost {
  readonly database: ServerDatabase;
  /** Null: its host is gone, which cannot be while it has databases. */
  readonly host: DatabaseHost | null;
}

/** The databases of a server, the oldest first, with sizes as fresh as their hosts answer. */
export async function listDatabases(
  { stores, databaseSizes }: Pick<ServersContext, 'stores' | 'databaseSizes'>,
  server: Pick<GameServer, 'id'>,
): Promise<DatabaseWithHost[]> {
  const databases = await stores.databases.ofServer(server.id);
  if (databases.length === 0) return [];
  const hosts = await stores.databaseHosts.getMany([...new Set(databases.map(({ hostId }) => hostId))]);
  const sizes = await databaseSizes.measure(databases, hosts);
  return databases.map((database) => ({
    database: { ...database, sizeBytes: sizes.get(database.id) ?? database.sizeBytes },
    host: hosts.find(({ id }) => id === database.hostId) ?? null,
  }));
}
