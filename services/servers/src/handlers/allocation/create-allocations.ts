import type { AllocationServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentAllocation } from '../../present/server.js';
import { createAllocations } from '../../usecases/allocations/create-allocations.js';

export function handleCreateAllocations(
  context: ServersContext,
): Handler<AllocationServiceService['createAllocations']> {
  return async ({ nodeId, ip, alias, ports }, { idempotencyId }) => {
    const allocations = await createAllocations(context, { nodeId, ip, alias, ports }, idempotencyId);
    return { allocations: allocations.map(presentAllocation) };
  };
}
