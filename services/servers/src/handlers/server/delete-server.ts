import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServer } from '../../present/server.js';
import { deleteServer } from '../../usecases/servers/delete-server.js';
import { viewServer } from '../../usecases/servers/view-server.js';

export function handleDeleteServer(context: ServersContext): Handler<ServerServiceService['deleteServer']> {
  return async ({ serverId, force, keepBackups }, { actor }) => {
    const waiting = await deleteServer(context, serverId, { force, keepBackups });
    return { server: waiting ? presentServer(await viewServer(context, waiting, actor, true)) : undefined };
  };
}
