import { randomUUID } from 'node:crypto';
import { derivedId, type Handler, requirePermission } from '@panel/rpc';
import type { AllocationServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { parseAllocations } from '../../domain/allocations/allocation.js';
import { presentAllocation } from '../../present/allocation.js';
import { fail } from '../../reasons.js';

export function createAllocations({
  stores,
  clock,
}: ServersContext): Handler<AllocationServiceService['createAllocations']> {
  return async (request, { actor, idempotencyId }) => {
    requirePermission(actor, 'allocations.create');
    const { nodeId, alias } = request;
    const { ip, ports } = parseAllocations(request);
    if (!(await stores.nodes.get(nodeId))) throw fail('NODE_NOT_FOUND', 'no such node', { node_id: nodeId });
    const creation = idempotencyId ?? randomUUID();
    const idOf = (port: number) => derivedId(creation, `${port}`);
    // The batch is this try, whose rows are told from those of a repetition.
    const batch = { nodeId, ip, alias, ports, batchId: randomUUID(), at: clock(), idOf };
    const allocations = await stores.allocations.createAll(batch);
    return { allocations: allocations.map((allocation) => presentAllocation(allocation)) };
  };
}
