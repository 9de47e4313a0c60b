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
  const { database } = await loadOwnDatabase({ stores }, ids, call, checkUnlocked);
  const host = await hostOf(stores, database);
  const properties = { id: database.id };
  await activity.record({ event: 'server:database.export', serverId: ids.serverId, properties }, call.actor);
  return { database, host, dump: databaseDumps.export(database, call.signal) };
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
  const { database } = await loadOwnDatabase({ stores }, ids, call, (server) => {
    // Error messages of statements expose data.
    requireAccess(server, call, 'database.view_password');
    checkUnlocked(server);
  });
  const properties = { id: database.id };
  await activity.record({ event: 'server:database.import', serverId: ids.serverId, properties }, call.actor);
  const importedBytes = await databaseDumps.import(database, dump, call.signal);
  return { database, host: await hostOf(stores, database), importedBytes };
}
