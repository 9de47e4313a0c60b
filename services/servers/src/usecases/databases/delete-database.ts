import type { ServersContext } from '../../context.js';
import type { Caller } from '@panel/rpc';
import { type DatabaseIds, loadOwnDatabase } from './load-own-database.js';

/** Limit of the wait for the host. */
const patienceMs = 5_000;

/**
 * Drops a database, its user and sessions. Final once it returns: a worker retries. Throws SERVER_NOT_FOUND,
 * SERVER_FORBIDDEN, DATABASE_NOT_FOUND.
 */
export async function deleteDatabase(
  { stores, databaseWorker }: Pick<ServersContext, 'stores' | 'databaseWorker'>,
  ids: DatabaseIds,
  caller: Caller,
): Promise<void> {
  const { database } = await loadOwnDatabase({ stores }, ids, caller);
  await databaseWorker.deleteNow(database.id, patienceMs);
}
