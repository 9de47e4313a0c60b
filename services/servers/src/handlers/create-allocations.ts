import { randomUUID } from 'node:crypto';
import { type Handler, requirePermission } from '@panel/kit';
import type { AllocationServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../context.js';
import { parseAllocations } from '../domain/allocation.js';
import { presentAllocation } from '../present/allocation.js';
import { fail } from '../reasons.js';

export function createAllocations({
  stores,
  clock,
}: ServersContext): Handler<AllocationServiceService['createAllocations']> {
  return async (request, { actor }) => {
    requirePermission(actor, 'allocations.create');
    const { nodeId, alias } = request;
    const { ip, ports } = parseAllocations(request);
    if (!(await stores.nodes.get(nodeId))) throw fail('NODE_NOT_FOUND', 'no such node', { node_id: nodeId });
    const batch = { nodeId, ip, alias, ports, batchId: randomUUID(), at: clock(), newId: () => randomUUID() };
    const allocations = await stores.allocations.createAll(batch);
    return { allocations: allocations.map(presentAllocation) };
  };
}
