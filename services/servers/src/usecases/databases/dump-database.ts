import type { CallContext } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { hostOf } from '../../database-engines/load-database.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { requireAccess } from '../../domain/servers/access.js';
import type { DatabaseWithHost } from './list-databases.js';
import { type DatabaseIds, loadOwnDatabase } from './load-own-database.js';

type DumpDeps = Pick<ServersContext, 'stores' | 'activity' | 'databaseDumps'>;

/**
 * Ends with `call.signal`. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, SERVER_LOCKED, SERVER_SUSPENDED,
 * DATABASE_NOT_FOUND, and the dump's errors.
 */
export async function exportDatabase(
  { stores, activity, databaseDumps }: DumpDeps,
  ids: DatabaseIds,
  call: CallContext,
): Promise<DatabaseWithHost & { readonly dump: AsyncIterable<Buffer> }> {
  const { server, database } = await loadOwnDatabase({ stores }, ids, call, checkUnlocked);
  const host = await hostOf(stores, database);
  const properties = { id: database.id };
  await activity.record({ event: 'server:database.export', serverId: ids.serverId, properties }, call.actor);
  return { database, host, dump: databaseDumps.export({ database, ownerId: server.userId }, call.signal) };
}

/**
 * Runs the statements of `dump`. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, SERVER_LOCKED, SERVER_SUSPENDED,
 * DATABASE_NOT_FOUND, and the import's errors.
 */
export async function importDatabase(
  { stores, activity, databaseDumps }: DumpDeps,
  ids: DatabaseIds,
  dump: AsyncIterable<Buffer>,
  call: CallContext,
): Promise<DatabaseWithHost & { readonly importedBytes: number }> {
  const { server, database } = await loadOwnDatabase({ stores }, ids, call, (loaded) => {
    // Error messages of statements expose data.
    requireAccess(loaded, call, 'database.view_password');
    checkUnlocked(loaded);
  });
  const properties = { id: database.id };
  await activity.record({ event: 'server:database.import', serverId: ids.serverId, properties }, call.actor);
  const importedBytes = await databaseDumps.import({ database, ownerId: server.userId }, dump, call.signal);
  return { database, host: await hostOf(stores, database), importedBytes };
}
