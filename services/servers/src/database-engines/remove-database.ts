import type { ClaimedDatabase } from '../models/databases/database.js';
import type { DatabaseDeps } from './dependencies.js';

/**
 * The record goes last: a crash leaves the work to continue. Idempotent. Throws DATABASE_HOST_UNREACHABLE,
 * DATABASE_HOST_REFUSED.
 */
export async function removeDatabase(deps: DatabaseDeps, { database, lease }: ClaimedDatabase): Promise<void> {
  const { stores, databaseEngines, failpoint } = deps;
  const host = database.isOnHost ? await stores.databaseHosts.get(database.hostId) : null;
  failpoint('database.before_drop');
  if (host) await databaseEngines[host.engine].drop(host, database);
  failpoint('database.dropped');
  await stores.servers.updates.removeDatabase(database.serverId, database.id);
  failpoint('database.slot_released');
  await stores.databaseHosts.release(database.hostId, database.id);
  await stores.databases.delete(lease);
}
