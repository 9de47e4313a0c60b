import { withActivity } from '@panel/activity';
import { AllocationServiceService } from '@panel/protos/servers';
import { serve, type ServedService } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { allocationDeletedEvent, allocationsCreatedEvent } from '../../present/activity-events.js';
import { handleCreateAllocations } from './create-allocations.js';
import { handleDeleteAllocation } from './delete-allocation.js';
import { handleListAllocations } from './list-allocations.js';

export function serveAllocations(context: ServersContext): ServedService {
  const { activity } = context;
  return serve(AllocationServiceService, {
    createAllocations: withActivity(activity, handleCreateAllocations(context), allocationsCreatedEvent),
    deleteAllocation: withActivity(activity, handleDeleteAllocation(context), allocationDeletedEvent),
    listAllocations: handleListAllocations(context),
  });
}
