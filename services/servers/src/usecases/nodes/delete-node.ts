import type { Stores } from '../../models/stores.js';

/** Delete a node without servers, and its allocations. Throws NODE_NOT_FOUND, NODE_IN_USE. */
export async function deleteNode(
  { nodes, allocations }: Pick<Stores, 'nodes' | 'allocations'>,
  nodeId: string,
): Promise<void> {
  await nodes.delete(nodeId);
  await allocations.deleteOfNode(nodeId);
}
