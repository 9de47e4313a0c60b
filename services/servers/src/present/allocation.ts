import { Allocation as AllocationMessage } from '@panel/protos/servers';
import type { Allocation } from '../domain/allocations/allocation.js';

export function presentAllocation(allocation: Allocation): AllocationMessage {
  return AllocationMessage.create({
    id: allocation.id,
    nodeId: allocation.nodeId,
    ip: allocation.ip,
    alias: allocation.alias,
    port: allocation.port,
    serverId: allocation.serverId ?? '',
    notes: allocation.notes,
  });
}
