import type { Actor } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';
import { viewServer, type VisibleServer } from './view-server.js';

/**
 * The update ends watchers; the game is stopped in the background, with retries by the node's watcher. Idempotent.
 * Throws SERVER_NOT_FOUND.
 */
export async function suspendServer(
  context: Pick<ServersContext, 'stores' | 'power' | 'clock' | 'timezone'>,
  serverId: string,
  actor: Actor,
): Promise<VisibleServer> {
  const { stores, power } = context;
  const before = await stores.servers.get(serverId);
  const server = await stores.servers.updates.setSuspended(serverId, true);
  if (!server) throw serverNotFound();
  if (!before?.suspended) power.stopSuspended(server);
  return viewServer(context, server, actor, true);
}

/** The game stays offline. Idempotent. Throws SERVER_NOT_FOUND. */
export async function unsuspendServer(
  context: Pick<ServersContext, 'stores' | 'clock' | 'timezone'>,
  serverId: string,
  actor: Actor,
): Promise<VisibleServer> {
  const server = await context.stores.servers.updates.setSuspended(serverId, false);
  if (!server) throw serverNotFound();
  return viewServer(context, server, actor, true);
}
