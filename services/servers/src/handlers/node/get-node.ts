import { type Handler, requirePermission } from '@panel/rpc';
import type { NodeServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentNode } from '../../present/node.js';
import { fail } from '../../reasons.js';

export function getNode({ stores, clock }: ServersContext): Handler<NodeServiceService['getNode']> {
  return async ({ nodeId }, { actor }) => {
    requirePermission(actor, 'nodes.view');
    const node = await stores.nodes.get(nodeId);
    if (!node) throw fail('NODE_NOT_FOUND', 'no such node', { node_id: nodeId });
    return { node: presentNode(node, clock()) };
  };
}
