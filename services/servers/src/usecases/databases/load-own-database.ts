import type { Caller } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { loadDatabase } from '../../database-engines/load-database.js';
import type { ServerDatabase } from '../../domain/databases/database.js';
import type { GameServer } from '../../domain/servers/server.js';
import { loadServer } from '../servers/load-server.js';

export interface DatabaseIds {
  readonly serverId: string;
  readonly databaseId: string;
}

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, DATABASE_NOT_FOUND. */
export async function loadOwnDatabase(
  { stores }: Pick<ServersContext, 'stores'>,
  { serverId, databaseId }: DatabaseIds,
  caller: Caller,
  check: (server: GameServer) => void = () => {},
): Promise<{ server: GameServer; database: ServerDatabase }> {
  const { server } = await loadServer({ stores }, serverId, caller);
  check(server);
  return { server, database: await loadDatabase(stores, server, databaseId) };
}
