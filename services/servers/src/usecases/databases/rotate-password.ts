import type { ServersContext } from '../../context.js';
import type { ServerDatabase } from '../../domain/databases/database.js';
import { fail } from '../../reasons.js';
import { hostOf } from '../../database-engines/load-database.js';
import { createPassword } from '../../database-engines/secrets.js';

/**
 * Replace the password of a database. Where the host fails on the way the old password is put back, by this call or by a
 * worker. Throws DATABASE_LOCKED, DATABASE_HOST_UNREACHABLE, DATABASE_HOST_REFUSED.
 */
export async function rotatePassword(
  deps: Pick<ServersContext, 'stores' | 'databaseEngines' | 'databaseLeaseMs' | 'failpoint'>,
  database: ServerDatabase,
): Promise<{ database: ServerDatabase; password: string }> {
  const { databases } = deps.stores;
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
  } catch (error) {
    await databases.release(lease, 0);
    throw error;
  }
  return { database: claimed.database, password };
}
