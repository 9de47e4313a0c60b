import { type Handler, requirePermission } from '@panel/kit';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../context.js';
import { requireAccess, serverNotFound } from '../domain/access.js';
import { showServer } from './shown-servers.js';

export function getServer(context: ServersContext): Handler<ServerServiceService['getServer']> {
  return async ({ serverId, asStaff }, { actor }) => {
    if (asStaff) requirePermission(actor, 'servers.view');
    const server = await context.stores.servers.look(serverId);
    requireAccess(server, actor);
    if (!server) throw serverNotFound();
    return { server: await showServer(context, server, actor, asStaff) };
  };
}
