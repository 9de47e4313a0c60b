import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServer } from '../../present/server.js';
import { renameServer } from '../../usecases/servers/rename-server.js';

export function handleRenameServer(context: ServersContext): Handler<ServerServiceService['renameServer']> {
  return async ({ serverId, name, description }, call) => {
    return { server: presentServer(await renameServer(context, serverId, { name, description }, call)) };
  };
}
