import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServer } from '../../present/server.js';
import { unsuspendServer } from '../../usecases/servers/suspend-server.js';

export function handleUnsuspendServer(context: ServersContext): Handler<ServerServiceService['unsuspendServer']> {
  return async ({ serverId }, { actor }) => ({
    server: presentServer(await unsuspendServer(context, serverId, actor)),
  });
}
