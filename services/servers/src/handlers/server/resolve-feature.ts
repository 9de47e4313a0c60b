import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServer } from '../../present/server.js';
import { resolveFeature } from '../../usecases/servers/resolve-feature.js';
import { readFeature } from './read-request.js';

export function handleResolveFeature(context: ServersContext): Handler<ServerServiceService['resolveFeature']> {
  return async (request, call) => {
    const resolved = await resolveFeature(context, request.serverId, readFeature(request), call);
    return { server: presentServer(resolved.server), isRestarting: resolved.isRestarting };
  };
}
