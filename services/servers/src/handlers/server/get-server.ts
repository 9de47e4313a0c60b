import { type Handler, requireStaff } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { requireAccess, serverNotFound } from '../../domain/servers/access.js';
import { showServer } from './show-server.js';

export function getServer(context: ServersContext): Handler<ServerServiceService['getServer']> {
  const { servers } = context.stores;
  return async ({ serverId, asStaff }, call) => {
    if (asStaff) requireStaff(call);
    const server = await servers.getView(serverId);
    requireAccess(server, call);
    if (!server) throw serverNotFound();
    return { server: await showServer(context, server, call.actor, asStaff) };
  };
}
