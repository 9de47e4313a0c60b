import { attachedAllocation } from '../../domain/allocations/allocation.js';
import { type GameServer, hasAllocation } from '../../domain/servers/server.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';

type AttachStores = Pick<Stores, 'servers' | 'allocations'>;

/** Adds a taken allocation once, also for parallel retries. Throws SERVER_CHANGED. */
export async function attachAllocation(
  { servers, allocations }: AttachStores,
  server: GameServer,
  allocationId: string,
  { ignoreLimit }: { readonly ignoreLimit: boolean },
): Promise<GameServer> {
  const row = (await allocations.ofServers([server.id])).find(({ id }) => id === allocationId);
  const attached =
    (row && (await servers.updates.addAllocation(server.id, attachedAllocation(row), ignoreLimit))) ??
    (await servers.get(server.id));
  if (!attached || !hasAllocation(attached, allocationId)) {
    await allocations.releaseUnconfirmed(allocationId, server.id);
    throw fail('SERVER_CHANGED', 'another operation of this server started at the same time');
  }
  if ((await allocations.confirm(server.id, [allocationId])) === 1) return attached;
  // A parallel call of this creation was rejected and has released it.
  await servers.updates.removeAllocation(server.id, allocationId);
  throw fail('SERVER_CHANGED', 'the allocation was released at the same moment');
}

/** After the unconfirmed mark the sweeper completes it after a crash. */
export async function detachAllocation(
  { servers, allocations }: AttachStores,
  server: GameServer,
  allocationId: string,
  at: Date,
): Promise<GameServer> {
  await allocations.markUnconfirmed(server.id, allocationId, at);
  const detached = await servers.updates.removeAllocation(server.id, allocationId);
  if (!detached) {
    await allocations.confirm(server.id, [allocationId]);
    throw fail('SERVER_CHANGED', 'another operation of this server started at the same time');
  }
  await allocations.release(server.id, allocationId);
  return detached;
}
