import type { ServersContext } from '../../context.js';
import type { Caller } from '@panel/rpc';
import { type DatabaseIds, loadOwnDatabase } from './load-own-database.js';

/** Most databases are dropped within this; no request waits longer for a host. */
const patienceMs = 5_000;

/**
 * Have a database dropped, with its user and the sessions of it. Accepted for good once it returns: a worker repeats what
 * the host does not answer. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN,
 * DATABASE_NOT_FOUND.
 */
export async function deleteDatabase(
  { stores, databaseWorker }: Pick<ServersContext, 'stores' | 'databaseWorker'>,
  ids: DatabaseIds,
  caller: Caller,
): Promise<void> {
  const { database } = await loadOwnDatabase({ stores }, ids, caller);
  await stores.databases.markDeleting(database.id);
  await databaseWorker.runNow(database.id, patienceMs);
}
