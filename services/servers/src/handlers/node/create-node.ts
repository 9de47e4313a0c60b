import { type Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit/errors';
import type { CreateNodeRequest, NodeServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import type { NodeFields } from '../../domain/nodes/node.js';
import { presentNode, readEngine, readRuntime } from '../../present/node.js';
import { createNode as create } from '../../usecases/nodes/create-node.js';

const defaultUploadMb = 1024;

export function createNode(context: ServersContext): Handler<NodeServiceService['createNode']> {
  return async (request, { idempotencyId }) => {
    const node = await create(context, readFields(request), idempotencyId);
    return { node: presentNode(node, context.clock()) };
  };
}

function readFields(request: CreateNodeRequest): NodeFields {
  const runtime = readRuntime(request.runtime);
  if (!runtime) throw invalidFields({ runtime: ['must be docker or process'] });
  return {
    name: request.name.trim(),
    description: request.description,
    fqdn: request.fqdn,
    tags: request.tags,
    runtime,
    engine: readEngine(request.engine),
    filesAddress: request.filesAddress,
    dataRoot: request.dataRoot,
    memoryMb: request.memoryMb,
    memoryOverallocatePercent: request.memoryOverallocatePercent,
    diskMb: request.diskMb,
    diskOverallocatePercent: request.diskOverallocatePercent,
    cpuPercent: request.cpuPercent,
    maintenanceMode: request.maintenanceMode,
    uploadLimitMb: request.uploadLimitMb || defaultUploadMb,
    publicUrl: request.publicUrl,
  };
}
