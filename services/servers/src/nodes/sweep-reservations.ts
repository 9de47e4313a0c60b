import type { Jobs, Logger } from '@panel/kit/process';
import type { GameServer } from '../domain/servers/server.js';
import type { AllocationStore } from '../models/allocations/allocation.js';
import type { NodeStore } from '../models/nodes/node.js';
import type { ServerStore } from '../models/servers/server.js';

/** Exceeds any creation and transfer reservation. */
const abandonedAfterMs = 2 * 60_000;

/** Frees what creations and transfers of dead processes left: capacity, allocations, incomplete batches. */
export async function sweepReservations(
  stores: { readonly nodes: NodeStore; readonly allocations: AllocationStore; readonly servers: ServerStore },
  { log, attempt }: { readonly log: Logger } & Pick<Jobs, 'attempt'>,
  now: Date,
): Promise<void> {
  const { nodes, allocations, servers } = stores;
  const before = new Date(now.getTime() - abandonedAfterMs);
  for (const { nodeId, serverId } of await nodes.unconfirmed(before)) {
    await attempt('sweep-reservations', serverId, async () => {
      if (hasPlaceOn(await servers.get(serverId), nodeId)) return nodes.confirm(nodeId, serverId);
      log.warn({ nodeId, serverId }, 'capacity was reserved for a server that never came to be');
      return nodes.releaseUnconfirmed(nodeId, serverId);
    });
  }
  for (const { id, serverId } of await allocations.unconfirmed(before)) {
    await attempt('sweep-reservations', serverId, async () => {
      const server = await servers.get(serverId);
      if (server && uses(server, id)) return allocations.confirm(serverId, [id]);
      log.warn({ allocationId: id, serverId }, 'an allocation was taken for a server that has no use for it');
      return allocations.releaseUnconfirmed(id, serverId);
    });
  }
  await allocations.sweepBatches(before);
}

/** The server is on the node or on its way. */
function hasPlaceOn(server: GameServer | null, nodeId: string): boolean {
  return server?.nodeId === nodeId || server?.operation?.transfer?.targetNodeId === nodeId;
}

function uses({ allocations, operation }: GameServer, allocationId: string): boolean {
  return (
    allocations.some(({ id }) => id === allocationId) ||
    operation?.transfer?.allocationIds.includes(allocationId) === true
  );
}
