import { type Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { showServer } from './show-server.js';
import { suspendServer as suspend } from '../../usecases/servers/suspend-server.js';

export function suspendServer(context: ServersContext): Handler<ServerServiceService['suspendServer']> {
  return async ({ serverId }, { actor }) => {
    return { server: await showServer(context, await suspend(context, serverId), actor, true) };
  };
}
