import { isStaff, type Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { loadServer } from '../../usecases/servers/load-server.js';
import { reinstallServer as reinstall } from '../../usecases/servers/reinstall-server.js';
import { showServer } from './show-server.js';

export function reinstallServer(context: ServersContext): Handler<ServerServiceService['reinstallServer']> {
  return async ({ serverId }, call) => {
    const { server } = await loadServer(context, serverId, call);
    return { server: await showServer(context, await reinstall(context, server), call.actor, isStaff(call)) };
  };
}
