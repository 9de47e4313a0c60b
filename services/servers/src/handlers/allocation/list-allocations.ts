import { type Handler, presentEach } from '@panel/rpc';
import { parsePage } from '@panel/kit/mongo';
import { PageRequest } from '@panel/protos/common';
import { Allocation, type AllocationServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentAllocation } from '../../present/allocation.js';
import { loadNode } from '../../usecases/nodes/load-node.js';

export function listAllocations({ stores }: ServersContext): Handler<AllocationServiceService['listAllocations']> {
  return async (request, call) => {
    const { nodeId } = request;
    const sort = request.page?.sort ?? [];
    const inOrder = { ...PageRequest.create(request.page), sort: sort.length > 0 ? sort : ['ip', 'port'] };
    const page = parsePage(inOrder, { created_at: 'createdAt', port: 'port', ip: 'ip' });
    await loadNode(stores, nodeId);
    const { allocations, total } = await stores.allocations.list(nodeId, page);
    const serverIds = new Set(allocations.flatMap(({ serverId }) => serverId ?? []));
    const notes = await stores.servers.notes([...serverIds]);
    return {
      allocations: presentEach(
        call,
        allocations,
        (allocation) => presentAllocation(allocation, notes.get(allocation.id)),
        Allocation,
      ),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
