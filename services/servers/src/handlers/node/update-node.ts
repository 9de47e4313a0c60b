import { type Handler } from '@panel/rpc';
import type { NodeServiceService, UpdateNodeRequest } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { definedFields } from '../../defined-fields.js';
import type { NodeFields } from '../../domain/nodes/node.js';
import { presentNode, readEngine } from '../../present/node.js';
import { updateNode as update } from '../../usecases/nodes/update-node.js';

export function updateNode(context: ServersContext): Handler<NodeServiceService['updateNode']> {
  return async (request) => {
    const node = await update(context, request.nodeId, readFields(request));
    return { node: presentNode(node, context.clock()) };
  };
}

function readFields(request: UpdateNodeRequest): Partial<NodeFields> {
  return definedFields({
    name: request.name?.trim(),
    description: request.description,
    fqdn: request.fqdn,
    tags: request.tags?.tags,
    engine: request.engine && readEngine(request.engine),
    filesAddress: request.filesAddress,
    dataRoot: request.dataRoot,
    memoryMb: request.memoryMb,
    memoryOverallocatePercent: request.memoryOverallocatePercent,
    diskMb: request.diskMb,
    diskOverallocatePercent: request.diskOverallocatePercent,
    cpuPercent: request.cpuPercent,
    maintenanceMode: request.maintenanceMode,
    uploadLimitMb: request.uploadLimitMb,
    publicUrl: request.publicUrl,
  });
}
