import { type Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { showServer } from './show-server.js';
import { unsuspendServer as unsuspend } from '../../usecases/servers/suspend-server.js';

export function unsuspendServer(context: ServersContext): Handler<ServerServiceService['unsuspendServer']> {
  return async ({ serverId }, { actor }) => {
    return { server: await showServer(context, await unsuspend(context, serverId), actor, true) };
  };
}
