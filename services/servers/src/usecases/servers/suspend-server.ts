import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';
import type { GameServer } from '../../domain/servers/server.js';

/**
 * Suspend a server: its watchers end with the update of the document, and its game is stopped in the background; the replica that
 * watches the node repeats that. Idempotent. Throws SERVER_NOT_FOUND.
 */
export async function suspendServer(
  { stores, power }: Pick<ServersContext, 'stores' | 'power'>,
  serverId: string,
): Promise<GameServer> {
  const before = await stores.servers.get(serverId);
  const server = await stores.servers.updates.setSuspended(serverId, true);
  if (!server) throw serverNotFound();
  if (!before?.suspended) power.stopSuspended(server);
  return server;
}

/** Lift a suspension; the game stays offline. Idempotent. Throws SERVER_NOT_FOUND. */
export async function unsuspendServer(
  { stores }: Pick<ServersContext, 'stores'>,
  serverId: string,
): Promise<GameServer> {
  const server = await stores.servers.updates.setSuspended(serverId, false);
  if (!server) throw serverNotFound();
  return server;
}
