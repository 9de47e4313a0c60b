import { type Handler } from '@panel/rpc';
import type { AllocationServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';

export function deleteAllocation({ stores }: ServersContext): Handler<AllocationServiceService['deleteAllocation']> {
  return async ({ nodeId, allocationId }) => {
    await stores.allocations.delete(nodeId, allocationId);
    return {};
  };
}
