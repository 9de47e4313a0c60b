import type { ServersContext } from '../../context.js';

/** Delete a node without servers, and its allocations. Throws NODE_NOT_FOUND, NODE_IN_USE. */
export async function deleteNode({ stores }: Pick<ServersContext, 'stores'>, nodeId: string): Promise<void> {
  await stores.nodes.delete(nodeId);
  await stores.allocations.deleteOfNode(nodeId);
}
