import { createOnce, type Handler } from '@panel/rpc';
import { isAppError } from '@panel/kit';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import type { Allocation } from '../../domain/allocations/allocation.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { type GameServer, hasAllocation } from '../../domain/servers/server.js';
import { presentAllocation } from '../../present/allocation.js';
import { attachAllocation } from '../../usecases/servers/update-server.js';
import { fail } from '../../reasons.js';
import { loadServer } from '../../usecases/servers/load-server.js';

/** Any free allocation, on the address people know the server by if there is one. */
export function addServerAllocation(context: ServersContext): Handler<ServerServiceService['addServerAllocation']> {
  return async ({ serverId }, { actor, idempotencyId }) => {
    const { server } = await loadServer(context, serverId, actor, 'allocation.create');
    const { object: allocation } = await createOnce(idempotencyId, {
      find: async (id) => context.stores.allocations.takenIn(id, serverId),
      create: async (id) => {
        checkUnlocked(server);
        if (server.allocations.length >= server.featureLimits.allocations) throw limitReached();
        return takeFree(context, server, id);
      },
    });
    if (!hasAllocation(server, allocation.id)) await attachOrExplain(context, server, allocation);
    return { allocation: presentAllocation(allocation) };
  };
}

async function attachOrExplain({ stores }: ServersContext, server: GameServer, allocation: Allocation): Promise<void> {
  try {
    await attachAllocation(stores, server, allocation.id, false);
  } catch (error) {
    if (!isAppError(error, 'SERVER_CHANGED')) throw error;
    const now = await stores.servers.get(server.id);
    if (now) checkUnlocked(now);
    throw limitReached();
  }
}

function limitReached() {
  return fail('ALLOCATION_LIMIT', 'the server has as many allocations as it may');
}

async function takeFree({ stores, clock }: ServersContext, server: GameServer, id: string): Promise<Allocation> {
  const primary = server.allocations.find(({ id }) => id === server.allocationId);
  const near = await stores.allocations.takeAny(server.nodeId, server.id, clock(), primary?.ip, id);
  const taken = near ?? (await stores.allocations.takeAny(server.nodeId, server.id, clock(), undefined, id));
  if (taken) return taken;
  throw fail('NO_FREE_ALLOCATION', 'the node has no free allocation');
}
