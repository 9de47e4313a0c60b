import { type Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { deleteServer as remove } from '../../usecases/servers/delete-server.js';

export function deleteServer(context: ServersContext): Handler<ServerServiceService['deleteServer']> {
  return async ({ serverId, force, keepBackups }) => {
    await remove(context, serverId, { force, keepBackups });
    return {};
  };
}
