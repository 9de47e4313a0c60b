import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServer } from '../../present/server.js';
import { updateServer } from '../../usecases/servers/update-server.js';
import { readServerUpdate } from './read-request.js';

export function handleUpdateServer(context: ServersContext): Handler<ServerServiceService['updateServer']> {
  return async (request, { actor }) => {
    const updated = await updateServer(context, request.serverId, readServerUpdate(request), actor);
    return { server: presentServer(updated.server), restartNeeded: updated.restartNeeded };
  };
}
