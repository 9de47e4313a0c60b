import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteServer } from '../../usecases/servers/delete-server.js';

export function handleDeleteServer(context: ServersContext): Handler<ServerServiceService['deleteServer']> {
  return async ({ serverId, force, keepBackups }) => {
    await deleteServer(context, serverId, { force, keepBackups });
    return {};
  };
}
