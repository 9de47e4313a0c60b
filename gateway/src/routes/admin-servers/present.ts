import { CreateServerRequest, type Server } from '@panel/protos/servers';
import type { z } from 'zod';
import { required, textOrNull } from '../../http/present.js';
import { presentServer } from '../servers/present.js';
import type { adminServer, createServerBody } from './schema.js';

export function presentAdminServer(message: Server | undefined): z.input<typeof adminServer> {
  const found = required(message, 'server');
  return {
    ...presentServer(found),
    user_id: found.userId,
    node_id: found.node?.id ?? null,
    egg_id: found.egg?.id ?? null,
    external_id: textOrNull(found.externalId),
    invocation: found.invocation,
    environment: Object.fromEntries(found.variables.map(({ envVariable, serverValue }) => [envVariable, serverValue])),
  };
}

export function createServerRequest(body: z.output<typeof createServerBody>): CreateServerRequest {
  return CreateServerRequest.create({
    name: body.name,
    userId: body.user_id,
    eggId: body.egg_id,
    nodeId: body.node_id,
    allocationId: body.allocation_id,
    additionalAllocationIds: body.additional_allocation_ids,
    limits: {
      memoryMb: body.memory,
      swapMb: body.swap,
      diskMb: body.disk,
      ioWeight: body.io,
      cpuPercent: body.cpu,
    },
    featureLimits: {
      databases: body.databases_limit,
      backups: body.backups_limit,
      allocations: body.allocations_limit,
    },
    description: body.description,
    dockerImage: body.docker_image,
    startup: body.startup,
    environment: body.environment,
    startOnCompletion: body.start_on_completion,
    skipScripts: body.skip_scripts,
    externalId: body.external_id,
    nodeTags: body.node_tags,
  });
}
