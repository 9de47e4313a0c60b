import { type Handler, requirePermission } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';
import { showServer } from '../../usecases/servers/server-view.js';

/** Sockets end with the change of the document; the game is stopped meanwhile, and again by whoever watches its node. */
export function suspendServer(context: ServersContext): Handler<ServerServiceService['suspendServer']> {
  return async ({ serverId }, { actor }) => {
    requirePermission(actor, 'servers.suspend');
    const before = await context.stores.servers.get(serverId);
    const server = await context.stores.servers.updates.setSuspended(serverId, true);
    if (!server) throw serverNotFound();
    if (!before?.suspended) context.engine.stopSuspended(server);
    return { server: await showServer(context, server, actor, true) };
  };
}
