import { type Handler, requirePermission } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { requireAccess, serverNotFound } from '../../domain/servers/access.js';
import { showServer } from '../../usecases/servers/server-view.js';

export function getServer(context: ServersContext): Handler<ServerServiceService['getServer']> {
  const { servers, hotReads } = context.stores;
  return async ({ serverId, asStaff }, { actor, actorToken }) => {
    if (asStaff) requirePermission(actor, 'servers.view');
    // The same signed actor has the same rights, and a right that was taken away gives another one.
    return hotReads.get(`one ${serverId} ${asStaff} ${actorToken}`, serverId, async () => {
      const server = await servers.look(serverId);
      requireAccess(server, actor);
      if (!server) throw serverNotFound();
      return { server: await showServer(context, server, actor, asStaff) };
    });
  };
}
