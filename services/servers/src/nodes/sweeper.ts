import type { Logger } from '@panel/kit';
import type { AllocationStore } from '../models/allocation.js';
import type { NodeStore } from '../models/node.js';
import type { ServerStore } from '../models/server.js';

/** Longer than any creation takes. */
const abandonedAfterMs = 2 * 60_000;

/** Takes back what creations left behind when their process died: capacity, allocations, half batches. */
export async function sweepLeftovers(
  stores: { readonly nodes: NodeStore; readonly allocations: AllocationStore; readonly servers: ServerStore },
  log: Logger,
  now: Date,
): Promise<void> {
  const { nodes, allocations, servers } = stores;
  const before = new Date(now.getTime() - abandonedAfterMs);
  for (const { nodeId, serverId } of await nodes.unconfirmed(before)) {
    if (await servers.exists(serverId)) await nodes.confirm(nodeId, serverId);
    else {
      log.warn({ nodeId, serverId }, 'capacity was reserved for a server that never came to be');
      await nodes.releaseUnconfirmed(nodeId, serverId);
    }
  }
  for (const { id, serverId } of await allocations.unconfirmed(before)) {
    const server = await servers.get(serverId);
    if (server?.allocationIds.includes(id)) await allocations.confirm(serverId, [id]);
    else {
      log.warn({ allocationId: id, serverId }, 'an allocation was taken for a server that has no use for it');
      await allocations.releaseUnconfirmed(id, serverId);
    }
  }
  await allocations.sweepBatches(before);
}
