import { type Handler } from '@panel/rpc';
import type { AllocationServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentAllocation } from '../../present/allocation.js';
import { createAllocations as create } from '../../usecases/allocations/create-allocations.js';

export function createAllocations(context: ServersContext): Handler<AllocationServiceService['createAllocations']> {
  return async ({ nodeId, ip, alias, ports }, { idempotencyId }) => {
    const allocations = await create(context, { nodeId, ip, alias, ports }, idempotencyId);
    return { allocations: allocations.map((allocation) => presentAllocation(allocation)) };
  };
}
