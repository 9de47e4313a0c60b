import type { ServersContext } from '../../context.js';

/** With its allocations. Throws NODE_NOT_FOUND, NODE_IN_USE. */
export async function deleteNode({ stores }: Pick<ServersContext, 'stores'>, nodeId: string): Promise<void> {
  await stores.nodes.delete(nodeId);
  await stores.allocations.deleteOfNode(nodeId);
  await stores.leftInstances.removeOfNode(nodeId);
}
