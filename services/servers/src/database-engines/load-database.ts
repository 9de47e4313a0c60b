import type { DatabaseHost, ServerDatabase } from '../domain/databases/database.js';
import type { GameServer } from '../domain/servers/server.js';
import type { Stores } from '../models/stores.js';
import { fail } from '../reasons.js';

/** Throws DATABASE_NOT_FOUND. */
export async function loadDatabase(
  { databases }: Pick<Stores, 'databases'>,
  server: Pick<GameServer, 'id'>,
  databaseId: string,
): Promise<ServerDatabase> {
  const database = await databases.get(databaseId);
  if (database?.serverId !== server.id) throw fail('DATABASE_NOT_FOUND', 'the server has no such database');
  return database;
}

/** A host with databases cannot be deleted. Throws DATABASE_HOST_NOT_FOUND. */
export async function hostOf(
  { databaseHosts }: Pick<Stores, 'databaseHosts'>,
  { hostId }: Pick<ServerDatabase, 'hostId'>,
): Promise<DatabaseHost> {
  const host = await databaseHosts.get(hostId);
  if (!host) throw fail('DATABASE_HOST_NOT_FOUND', 'no such database host', { host_id: hostId });
  return host;
}
