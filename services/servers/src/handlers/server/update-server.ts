import { type Handler } from '@panel/rpc';
import type { ServerServiceService, UpdateServerRequest } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { definedFields } from '../../defined-fields.js';
import { readRunSettings } from '../../present/server.js';
import { showServer } from './show-server.js';
import { type UpdateRequest, updateServer as update } from '../../usecases/servers/update-server.js';

export function updateServer(context: ServersContext): Handler<ServerServiceService['updateServer']> {
  return async (request, { actor }) => {
    const { server, restartNeeded } = await update(context, request.serverId, readUpdate(request));
    return { server: await showServer(context, server, actor, true), restartNeeded };
  };
}

function readUpdate(request: UpdateServerRequest): UpdateRequest {
  const { limits = {}, featureLimits = {} } = request;
  return {
    name: request.name,
    description: request.description,
    userId: request.userId,
    externalId: request.externalId,
    limits: definedFields(limits),
    featureLimits: definedFields(featureLimits),
    runSettings: readRunSettings(request.runSettings),
    dockerImage: request.dockerImage,
    startup: request.startup,
    environment: request.environment,
    allocationId: request.allocationId,
    addAllocationIds: request.addAllocationIds,
    removeAllocationIds: request.removeAllocationIds,
    eggId: request.eggId,
    reinstall: request.reinstall,
    skipScripts: request.skipScripts,
  };
}
