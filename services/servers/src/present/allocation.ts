import type { Allocation as AllocationMessage } from '@panel/protos/servers';
import type { Allocation, ServerAllocation } from '../domain/allocations/allocation.js';
import type { NotedAllocation } from '../usecases/allocations/list-allocations.js';

/** `notes` are those of its server. */
export function presentAllocation(allocation: Allocation & Partial<NotedAllocation>): AllocationMessage {
  const { id, nodeId, ip, alias, port, serverId, notes = '' } = allocation;
  return { id, nodeId, ip, alias, port, serverId: serverId ?? '', notes };
}

export function presentServerAllocation(
  server: { readonly id: string; readonly nodeId: string },
  { id, ip, alias, port, notes }: ServerAllocation,
): AllocationMessage {
  return { id, nodeId: server.nodeId, ip, alias, port, serverId: server.id, notes };
}
