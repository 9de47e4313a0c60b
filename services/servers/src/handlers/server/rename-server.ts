import type { Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { loadServer } from '../../usecases/servers/load-server.js';
import { renameServer as rename } from '../../usecases/servers/rename-server.js';
import { showServer } from './show-server.js';

export function renameServer(context: ServersContext): Handler<ServerServiceService['renameServer']> {
  return async ({ serverId, name, description }, call) => {
    const { server } = await loadServer(context, serverId, call);
    const renamed = await rename(context.stores, server, { name, description });
    return { server: await showServer(context, renamed, call.actor, false) };
  };
}
