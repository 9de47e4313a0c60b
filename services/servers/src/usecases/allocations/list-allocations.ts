import type { PageQuery } from '@panel/kit/mongo';
import type { ServersContext } from '../../context.js';
import { type Allocation, foreignAddressProblem } from '../../domain/allocations/allocation.js';
import { loadNode } from '../nodes/get-node.js';

export interface WarnedAllocation extends Allocation {
  /** Why games may not be able to listen there; empty: nothing is known against it. */
  readonly warning: string;
}

export interface NotedAllocation extends WarnedAllocation {
  /** Of its server. */
  readonly notes: string;
}

/** Throws NODE_NOT_FOUND. */
export async function listAllocations(
  { stores }: Pick<ServersContext, 'stores'>,
  nodeId: string,
  page: PageQuery,
): Promise<{ allocations: NotedAllocation[]; total: number }> {
  const { health } = await loadNode(stores, nodeId);
  const { allocations, total } = await stores.allocations.list(nodeId, page);
  const serverIds = new Set(allocations.flatMap(({ serverId }) => serverId ?? []));
  const notes = await stores.servers.notes([...serverIds]);
  const warningOf = (ip: string) => {
    const problem = foreignAddressProblem(ip, health.addresses);
    return problem === null ? '' : `${ip} ${problem}`;
  };
  const noted = allocations.map((one) => ({ ...one, notes: notes.get(one.id) ?? '', warning: warningOf(one.ip) }));
  return { allocations: noted, total };
}
