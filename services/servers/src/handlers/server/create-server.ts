import { type Handler } from '@panel/rpc';
import type { CreateServerRequest, ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { createServer as create, type NewServer } from '../../usecases/servers/create-server.js';
import { readRunSettings } from '../../present/server.js';
import { showServer } from './show-server.js';

const defaultIoWeight = 500;
const defaultAllocations = 1;

export function createServer(context: ServersContext): Handler<ServerServiceService['createServer']> {
  return async (request, { actor, idempotencyId, signal }) => {
    const creation = async () => create(context, readServer(request), idempotencyId);
    const server = await context.placementQueue.run(creation, signal);
    return { server: await showServer(context, server, actor, true) };
  };
}

function readServer(request: CreateServerRequest): NewServer {
  const { limits, featureLimits } = request;
  return {
    name: request.name,
    userId: request.userId,
    eggId: request.eggId,
    nodeId: request.nodeId,
    allocationId: request.allocationId,
    additionalAllocationIds: request.additionalAllocationIds,
    nodeTags: request.nodeTags,
    limits: {
      memoryMb: limits?.memoryMb ?? 0,
      swapMb: limits?.swapMb ?? 0,
      diskMb: limits?.diskMb ?? 0,
      ioWeight: limits?.ioWeight || defaultIoWeight,
      cpuPercent: limits?.cpuPercent ?? 0,
    },
    featureLimits: {
      databases: featureLimits?.databases ?? 0,
      backups: featureLimits?.backups ?? 0,
      allocations: featureLimits?.allocations ?? defaultAllocations,
    },
    description: request.description,
    dockerImage: request.dockerImage,
    startup: request.startup,
    environment: request.environment,
    startOnCompletion: request.startOnCompletion,
    skipScripts: request.skipScripts,
    externalId: request.externalId,
    isMetered: request.metered ?? false,
    runSettings: readRunSettings(request.runSettings),
  };
}
