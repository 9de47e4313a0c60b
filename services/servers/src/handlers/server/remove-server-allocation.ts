import type { Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { hasAllocation } from '../../domain/servers/server.js';
import { removeAllocation } from '../../usecases/servers/update-server.js';
import { fail } from '../../reasons.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function removeServerAllocation(
  context: ServersContext,
): Handler<ServerServiceService['removeServerAllocation']> {
  return async ({ serverId, allocationId }, { actor }) => {
    const { server } = await loadServer(context, serverId, actor, 'allocation.delete');
    if (!hasAllocation(server, allocationId)) throw fail('ALLOCATION_NOT_FOUND', 'the server has no such allocation');
    checkUnlocked(server);
    if (server.allocationId === allocationId) throw fail('ALLOCATION_PRIMARY', 'the primary allocation stays');
    await removeAllocation(context.stores, server, allocationId, context.clock());
    return {};
  };
}
