import { type CallContext, createOnce } from '@panel/rpc';
import { isAppError } from '@panel/kit/errors';
import type { ServersContext } from '../../context.js';
import type { Allocation } from '../../domain/allocations/allocation.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { type GameServer, hasAllocation } from '../../domain/servers/server.js';
import { fail } from '../../reasons.js';
import { attachAllocation } from './attach-allocation.js';
import { createInQueue } from './create-in-queue.js';
import { loadServer } from './load-server.js';

type AddAllocationDeps = Pick<ServersContext, 'stores' | 'clock'>;

/**
 * Any free allocation of the node, preferably on the primary address. Idempotent by `idempotencyId`. Throws
 * SERVER_NOT_FOUND, SERVER_FORBIDDEN, SERVER_LOCKED, SERVER_SUSPENDED, ALLOCATION_LIMIT, NO_FREE_ALLOCATION.
 */
export async function addServerAllocation(
  deps: AddAllocationDeps & Pick<ServersContext, 'creationQueue'>,
  serverId: string,
  call: CallContext,
): Promise<Allocation> {
  return createInQueue(deps, serverId, call, async () => {
    const { server } = await loadServer(deps, serverId, call);
    return add(deps, server, call.idempotencyId);
  });
}

async function add(deps: AddAllocationDeps, server: GameServer, idempotencyId?: string): Promise<Allocation> {
  const { object: allocation } = await createOnce(idempotencyId, {
    find: async (id) => deps.stores.allocations.takenIn(id, server.id),
    create: async (id) => {
      checkUnlocked(server);
      if (server.allocations.length >= server.featureLimits.allocations) throw limitReached();
      return takeFree(deps, server, id);
    },
  });
  if (!hasAllocation(server, allocation.id)) await attach(deps, server, allocation);
  return allocation;
}

async function attach({ stores }: AddAllocationDeps, server: GameServer, allocation: Allocation): Promise<void> {
  try {
    await attachAllocation(stores, server, allocation.id, { ignoreLimit: false });
  } catch (error) {
    if (!isAppError(error, 'SERVER_CHANGED')) throw error;
    const current = await stores.servers.get(server.id);
    if (current) checkUnlocked(current);
    throw limitReached();
  }
}

function limitReached() {
  return fail('ALLOCATION_LIMIT', 'the server has as many allocations as it may');
}

async function takeFree({ stores, clock }: AddAllocationDeps, server: GameServer, id: string): Promise<Allocation> {
  const { allocations } = stores;
  const primary = server.allocations.find((one) => one.id === server.allocationId);
  const taken =
    (await allocations.takeAny(server.nodeId, server.id, clock(), primary?.ip, id)) ??
    (await allocations.takeAny(server.nodeId, server.id, clock(), undefined, id));
  if (taken) return taken;
  throw fail('NO_FREE_ALLOCATION', 'the node has no free allocation');
}
