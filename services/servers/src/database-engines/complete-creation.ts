import type { ServerDatabase } from '../domain/databases/database.js';
import type { ClaimedDatabase } from '../models/databases/database.js';
import { fail } from '../reasons.js';
import type { DatabaseDeps } from './dependencies.js';
import { hostOf } from './load-database.js';

/**
 * Also after an interrupted attempt: each step is idempotent. Throws DATABASE_LIMIT, DATABASE_HOST_FULL,
 * DATABASE_EXISTS_ON_HOST, DATABASE_HOST_UNREACHABLE, DATABASE_HOST_REFUSED; DATABASE_LOCKED after a deletion request.
 */
export async function completeCreation(deps: DatabaseDeps, { database, lease }: ClaimedDatabase): Promise<void> {
  const { databases, databaseHosts } = deps.stores;
  await reserveSlot(deps, database);
  if (!(await databaseHosts.reserve(database.hostId, database.id))) {
    throw fail('DATABASE_HOST_FULL', 'the database host has as many databases as it may');
  }
  deps.failpoint('database.reserved');
  const host = await hostOf(deps.stores, database);
  const engine = deps.databaseEngines[host.engine];
  const { password } = database;
  if (password === null) throw fail('DATABASE_LOCKED', 'the password of the database does not open');
  if (!database.isOnHost) {
    // A foreign database must be neither used nor dropped.
    if (await engine.exists(host, database.name)) {
      throw fail('DATABASE_EXISTS_ON_HOST', 'the host has a database of this name already');
    }
    if (!(await databases.markOnHost(lease))) throw lostToDeletion();
  }
  deps.failpoint('database.before_host');
  await engine.create(host, database, password);
  deps.failpoint('database.on_host');
  if (!(await databases.activate(lease))) throw lostToDeletion();
}

/** The list in the server's document enforces the limit. */
async function reserveSlot({ stores }: DatabaseDeps, { id, serverId }: ServerDatabase): Promise<void> {
  if (await stores.servers.updates.addDatabase(serverId, id)) return;
  const server = await stores.servers.get(serverId);
  if (server?.databaseIds.includes(id)) return;
  if (server && server.operation === null && server.databaseIds.length >= server.featureLimits.databases) {
    throw fail('DATABASE_LIMIT', 'the server has as many databases as it may');
  }
  throw fail('SERVER_CHANGED', 'another operation of this server started at the same time');
}

function lostToDeletion() {
  return fail('DATABASE_LOCKED', 'the database is being deleted');
}
