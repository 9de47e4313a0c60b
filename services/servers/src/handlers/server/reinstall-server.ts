import { actorHas, type Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { requireAccess, serverNotFound } from '../../domain/servers/access.js';
import { beginReinstall } from '../../usecases/servers/reinstall-server.js';
import { showServer } from '../../usecases/servers/server-view.js';

export function reinstallServer(context: ServersContext): Handler<ServerServiceService['reinstallServer']> {
  return async ({ serverId }, { actor }) => {
    const isStaff = actorHas(actor, 'servers.reinstall');
    const server = await context.stores.servers.get(serverId);
    if (!isStaff) requireAccess(server, actor, 'settings.reinstall');
    if (!server) throw serverNotFound();
    const started = await beginReinstall(context.stores, server, { eggId: server.eggId, skipScripts: false });
    context.engine.runNow();
    return { server: await showServer(context, started, actor, isStaff) };
  };
}
