import type { ServersContext } from '../../context.js';

/** Deletes its allocations too. Throws NODE_NOT_FOUND, NODE_IN_USE. */
export async function deleteNode({ stores }: Pick<ServersContext, 'stores'>, nodeId: string): Promise<void> {
  await stores.nodes.delete(nodeId);
  await stores.allocations.deleteOfNode(nodeId);
}
