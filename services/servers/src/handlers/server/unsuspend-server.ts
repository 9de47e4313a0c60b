import { type Handler, requirePermission } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';
import { showServer } from '../../usecases/servers/server-view.js';

export function unsuspendServer(context: ServersContext): Handler<ServerServiceService['unsuspendServer']> {
  return async ({ serverId }, { actor }) => {
    requirePermission(actor, 'servers.suspend');
    const server = await context.stores.servers.updates.setSuspended(serverId, false);
    if (!server) throw serverNotFound();
    return { server: await showServer(context, server, actor, true) };
  };
}
