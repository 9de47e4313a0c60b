import type { AllocationServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteAllocation } from '../../usecases/allocations/delete-allocation.js';

export function handleDeleteAllocation(context: ServersContext): Handler<AllocationServiceService['deleteAllocation']> {
  return async ({ nodeId, allocationId }) => {
    await deleteAllocation(context, nodeId, allocationId);
    return {};
  };
}
