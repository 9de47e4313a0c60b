import type { PageQuery } from '@panel/kit/mongo';
import type { ServersContext } from '../../context.js';
import type { Allocation } from '../../domain/allocations/allocation.js';
import { loadNode } from '../nodes/get-node.js';

export interface NotedAllocation extends Allocation {
  /** Of its server. */
  readonly notes: string;
}

/** Throws NODE_NOT_FOUND. */
export async function listAllocations(
  { stores }: Pick<ServersContext, 'stores'>,
  nodeId: string,
  page: PageQuery,
): Promise<{ allocations: NotedAllocation[]; total: number }> {
  await loadNode(stores, nodeId);
  const { allocations, total } = await stores.allocations.list(nodeId, page);
  const serverIds = new Set(allocations.flatMap(({ serverId }) => serverId ?? []));
  const notes = await stores.servers.notes([...serverIds]);
  return { allocations: allocations.map((one) => ({ ...one, notes: notes.get(one.id) ?? '' })), total };
}
