import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServer } from '../../present/server.js';
import { suspendServer } from '../../usecases/servers/suspend-server.js';

export function handleSuspendServer(context: ServersContext): Handler<ServerServiceService['suspendServer']> {
  return async ({ serverId }, { actor }) => ({ server: presentServer(await suspendServer(context, serverId, actor)) });
}
