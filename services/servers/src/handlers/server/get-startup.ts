import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServer } from '../../present/server.js';
import { getStartup } from '../../usecases/servers/view-server.js';

export function handleGetStartup(context: ServersContext): Handler<ServerServiceService['getStartup']> {
  return async ({ serverId }, call) => ({ server: presentServer(await getStartup(context, serverId, call)) });
}
