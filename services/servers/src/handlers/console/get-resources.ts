import type { Handler } from '@panel/rpc';
import type { ConsoleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { requireAccess, serverNotFound } from '../../domain/servers/access.js';
import { connectionOf } from '../../usecases/servers/load-server.js';

/** Also for a suspended or locked server: looking changes nothing. */
export function getResources(context: ServersContext): Handler<ConsoleServiceService['getResources']> {
  return async ({ serverId }, call) => {
    const server = await context.stores.servers.getMetered(serverId);
    requireAccess(server, call);
    if (!server) throw serverNotFound();
    return { resources: await context.meter.read(server, async () => connectionOf(context, server)) };
  };
}
