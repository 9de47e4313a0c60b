import { createOnce, type Handler, requirePermission } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { NodeServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { checkNode } from '../../domain/nodes/check-node.js';
import { presentNode, readEngine, readRuntime } from '../../present/node.js';
import { fail } from '../../reasons.js';

const defaultUploadMb = 1024;

export function createNode({ stores, clock, engine }: ServersContext): Handler<NodeServiceService['createNode']> {
  return async (request, { actor, idempotencyId }) => {
    requirePermission(actor, 'nodes.create');
    const runtime = readRuntime(request.runtime);
    if (!runtime) throw invalidFields({ runtime: ['must be docker or process'] });
    const fields = {
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
    };
    checkNode(fields);
    const { object: node } = await createOnce(idempotencyId, {
      find: async (id) => stores.nodes.get(id),
      create: async (id) => {
        await stores.nodes.create(id, fields, clock());
        const created = await stores.nodes.get(id);
        if (!created) throw fail('NODE_NOT_FOUND', 'the node was deleted at once', { node_id: id });
        return created;
      },
    });
    await engine.watchNow(node);
    return { node: presentNode(node, clock()) };
  };
}
