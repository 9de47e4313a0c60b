import { Allocation, type AllocationServiceService } from '@panel/protos/servers';
import { type Handler, presentEach } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentAllocation } from '../../present/server.js';
import { listAllocations } from '../../usecases/allocations/list-allocations.js';
import { pageInfo } from '../read-request.js';
import { readAllocationPage } from './read-request.js';

export function handleListAllocations(context: ServersContext): Handler<AllocationServiceService['listAllocations']> {
  return async ({ nodeId, page: wanted }, call) => {
    const page = readAllocationPage(wanted);
    const { allocations, total } = await listAllocations(context, nodeId, page);
    return { allocations: presentEach(call, allocations, presentAllocation, Allocation), page: pageInfo(page, total) };
  };
}
