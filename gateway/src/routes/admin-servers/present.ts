import {
  CreateServerRequest,
  type Server,
  type TransferResult,
  TransferResult_Outcome,
  TransferServerRequest,
} from '@panel/protos/servers';
import type { z } from 'zod';
import { isoTime, required, textOrNull } from '../../declaration/present.js';
import { presentServer } from '../servers/present.js';
import type { adminServer, createServerBody, transferResult, transferServerBody } from './schema.js';

export function presentAdminServer(message: Server | undefined): z.input<typeof adminServer> {
  const found = required(message, 'server');
  return {
    ...presentServer(found),
    user_id: found.userId,
    node_id: found.node?.id ?? null,
    egg_id: found.egg?.id ?? null,
    external_id: textOrNull(found.externalId),
    invocation: found.invocation,
    last_transfer: found.lastTransfer ? presentTransferResult(found.lastTransfer) : null,
    environment: Object.fromEntries(found.variables.map(({ envVariable, serverValue }) => [envVariable, serverValue])),
  };
}

const outcomes = {
  [TransferResult_Outcome.COMPLETED]: 'completed',
  [TransferResult_Outcome.CANCELLED]: 'cancelled',
  [TransferResult_Outcome.FAILED]: 'failed',
  [TransferResult_Outcome.UNSPECIFIED]: 'failed',
} as const satisfies Record<TransferResult_Outcome, string>;

function presentTransferResult(message: TransferResult): z.input<typeof transferResult> {
  return {
    outcome: outcomes[message.outcome],
    source_node_id: message.sourceNodeId,
    target_node_id: message.targetNodeId,
    error: textOrNull(message.error),
    ended_at: isoTime(message.endTime),
  };
}

export function transferServerRequest(
  serverId: string,
  body: z.output<typeof transferServerBody>,
): TransferServerRequest {
  const additional = body.additional_allocation_ids;
  return TransferServerRequest.create({
    serverId,
    nodeId: body.node_id,
    allocationId: body.allocation_id,
    additionalAllocationIds: additional && { allocationIds: additional },
  });
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
