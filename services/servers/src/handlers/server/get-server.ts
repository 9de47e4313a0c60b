import { type Handler, requireStaff } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { requireAccess, serverNotFound } from '../../domain/servers/access.js';
import { ServerEncoder } from '../../present/encoded-servers.js';
import { viewServer } from '../../usecases/servers/server-view.js';
import { showServer } from './show-server.js';

export function getServer(context: ServersContext): Handler<ServerServiceService['getServer']> {
  const { servers } = context.stores;
  const encoder = new ServerEncoder(context.timezone);
  return async ({ serverId, asStaff, asEncoded }, call) => {
    if (asStaff) requireStaff(call);
    const server = await servers.getView(serverId);
    requireAccess(server, call);
    if (!server) throw serverNotFound();
    if (asEncoded) {
      const visible = await viewServer(context, server, call.actor, asStaff);
      return { server: undefined, encoded: encoder.whole(visible) };
    }
    return { server: await showServer(context, server, call.actor, asStaff) };
  };
}
