import { type Handler, requirePermission } from '@panel/rpc';
import type { NodeServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';

export function deleteNode({ stores }: ServersContext): Handler<NodeServiceService['deleteNode']> {
  return async ({ nodeId }, { actor }) => {
    requirePermission(actor, 'nodes.delete');
    await stores.nodes.delete(nodeId);
    await stores.allocations.deleteOfNode(nodeId);
    return {};
  };
}
