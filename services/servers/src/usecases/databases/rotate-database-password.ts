import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { requireAccess } from '../../domain/servers/access.js';
import { fail } from '../../reasons.js';
import { hostOf } from '../../database-engines/load-database.js';
import { createPassword } from '../../database-engines/secrets.js';
import type { DatabaseWithHost } from './list-databases.js';
import { type DatabaseIds, loadOwnDatabase } from './load-own-database.js';

/**
 * If the host fails, this call or a worker restores the old password. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN,
 * DATABASE_NOT_FOUND, DATABASE_LOCKED, DATABASE_HOST_UNREACHABLE, DATABASE_HOST_REFUSED.
 */
export async function rotateDatabasePassword(
  deps: Pick<ServersContext, 'stores' | 'databaseEngines' | 'databaseLeaseMs' | 'failpoint'>,
  ids: DatabaseIds,
  caller: Caller,
): Promise<DatabaseWithHost & { readonly password: string }> {
  const { databases } = deps.stores;
  // A caller without the new password would lock the game out.
  const { database } = await loadOwnDatabase(deps, ids, caller, (server) => {
    requireAccess(server, caller, 'database.view_password');
  });
  const claimed = database.state === 'active' ? await databases.claim(database.id, deps.databaseLeaseMs) : null;
  if (!claimed)
    throw fail('DATABASE_LOCKED', 'something else is being done with this database', { state: database.state });
  const { lease } = claimed;
  const password = createPassword();
  try {
    if (!(await databases.beginRotation(lease, password))) {
      throw fail('DATABASE_LOCKED', 'the database is being deleted');
    }
    deps.failpoint('database.rotation_recorded');
    const host = await hostOf(deps.stores, database);
    await deps.databaseEngines[host.engine].setPassword(host, database, password);
    deps.failpoint('database.rotated_on_host');
    if (!(await databases.commitRotation(lease))) throw fail('DATABASE_LOCKED', 'the database is being deleted');
    return { database: claimed.database, host, password };
  } catch (error) {
    await databases.release(lease, 0);
    throw error;
  }
}
