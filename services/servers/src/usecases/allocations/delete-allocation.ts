import type { ServersContext } from '../../context.js';

/** Throws ALLOCATION_NOT_FOUND, ALLOCATION_IN_USE. */
export async function deleteAllocation(
  { stores }: Pick<ServersContext, 'stores'>,
  nodeId: string,
  allocationId: string,
): Promise<void> {
  await stores.allocations.delete(nodeId, allocationId);
}
