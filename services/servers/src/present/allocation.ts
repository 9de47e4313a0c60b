import type { Allocation as AllocationMessage } from '@panel/protos/servers';
import type { Allocation, ServerAllocation } from '../domain/allocations/allocation.js';
import type { NotedAllocation } from '../usecases/allocations/list-allocations.js';

/** An allocation of a node; `notes` are those of the server that has it. */
export function presentAllocation(allocation: Allocation & Partial<NotedAllocation>): AllocationMessage {
  const { id, nodeId, ip, alias, port, serverId, notes = '' } = allocation;
  return { id, nodeId, ip, alias, port, serverId: serverId ?? '', notes };
}

/** An allocation of a server, from the server's document. */
export function presentServerAllocation(
  server: { readonly id: string; readonly nodeId: string },
  { id, ip, alias, port, notes }: ServerAllocation,
): AllocationMessage {
  return { id, nodeId: server.nodeId, ip, alias, port, serverId: server.id, notes };
}
