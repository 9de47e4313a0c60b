import type { Stores } from '../../models/stores.js';

/** Delete a host without databases. Throws DATABASE_HOST_NOT_FOUND, DATABASE_HOST_IN_USE. */
export async function deleteHost({ databaseHosts }: Pick<Stores, 'databaseHosts'>, hostId: string): Promise<void> {
  await databaseHosts.delete(hostId);
}
