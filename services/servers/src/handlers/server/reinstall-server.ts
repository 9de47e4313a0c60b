import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServer } from '../../present/server.js';
import { reinstallServer } from '../../usecases/servers/reinstall-server.js';

export function handleReinstallServer(context: ServersContext): Handler<ServerServiceService['reinstallServer']> {
  return async ({ serverId }, call) => ({ server: presentServer(await reinstallServer(context, serverId, call)) });
}
