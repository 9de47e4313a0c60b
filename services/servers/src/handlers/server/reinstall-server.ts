import { actorHas, type Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { requireAccess, serverNotFound } from '../../domain/servers/access.js';
import { reinstallServer as reinstall } from '../../usecases/servers/reinstall-server.js';
import { showServer } from '../../usecases/servers/server-view.js';

export function reinstallServer(context: ServersContext): Handler<ServerServiceService['reinstallServer']> {
  return async ({ serverId }, { actor }) => {
    const isStaff = actorHas(actor, 'servers.reinstall');
    const server = await context.stores.servers.get(serverId);
    if (!isStaff) requireAccess(server, actor, 'settings.reinstall');
    if (!server) throw serverNotFound();
    return { server: await showServer(context, await reinstall(context, server), actor, isStaff) };
  };
}
