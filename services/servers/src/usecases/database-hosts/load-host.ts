import type { DatabaseHost } from '../../domain/databases/database.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';

/** Throws DATABASE_HOST_NOT_FOUND. */
export async function loadHost(
  { databaseHosts }: Pick<Stores, 'databaseHosts'>,
  hostId: string,
): Promise<DatabaseHost> {
  const host = await databaseHosts.get(hostId);
  if (!host) throw fail('DATABASE_HOST_NOT_FOUND', 'no such database host', { host_id: hostId });
  return host;
}
