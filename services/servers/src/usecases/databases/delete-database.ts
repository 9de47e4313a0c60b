import type { ServersContext } from '../../context.js';
import type { GameServer } from '../../domain/servers/server.js';
import { loadDatabase } from '../../database-engines/load-database.js';

/** Most databases are dropped within this; no request waits longer for a host. */
const patienceMs = 5_000;

/**
 * Have a database dropped, with its user and the sessions of it. Accepted for good once it returns: a worker repeats what
 * the host does not answer. Throws DATABASE_NOT_FOUND.
 */
export async function deleteDatabase(
  { stores, databaseWorker }: Pick<ServersContext, 'stores' | 'databaseWorker'>,
  server: Pick<GameServer, 'id'>,
  databaseId: string,
): Promise<void> {
  const database = await loadDatabase(stores, server, databaseId);
  await stores.databases.markDeleting(database.id);
  await databaseWorker.runNow(database.id, patienceMs);
}
