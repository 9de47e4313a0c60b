import type { ServersContext } from '../../context.js';
import { checkHost } from '../../domain/databases/check-database.js';
import type { DatabaseHost, DatabaseHostFields } from '../../domain/databases/database.js';
import { checkNodes } from './create-database-host.js';
import { getDatabaseHost } from './get-database-host.js';
import { testHost } from './test-host.js';

export type DatabaseHostUpdate = Partial<Omit<DatabaseHostFields, 'engine'>>;

/**
 * Absent fields stay. Tests changes of the connection first. Throws DATABASE_HOST_NOT_FOUND, INVALID_FIELDS,
 * DATABASE_HOST_NAME_TAKEN.
 */
export async function updateDatabaseHost(
  {
    stores,
    clock,
    databaseEngines,
    nodePolicy,
  }: Pick<ServersContext, 'stores' | 'clock' | 'databaseEngines' | 'nodePolicy'>,
  hostId: string,
  update: DatabaseHostUpdate,
): Promise<DatabaseHost> {
  const before = await getDatabaseHost({ stores }, hostId);
  // A password that no key opens can only be replaced.
  const after = { ...before, password: before.password ?? '', ...update };
  checkHost(after, nodePolicy.isAllowedAddress);
  if (update.nodeIds !== undefined) await checkNodes(stores, update.nodeIds);
  const { address, port, username, password } = update;
  const isReachedAnew = [address, port, username, password].some((field) => field !== undefined);
  const version = isReachedAnew ? { version: await testHost(databaseEngines, after) } : {};
  await stores.databaseHosts.update(hostId, { ...update, ...version }, clock());
  return getDatabaseHost({ stores }, hostId);
}
