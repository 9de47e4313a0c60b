import type { Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentServerAllocation } from '../../present/allocation.js';
import { loadServer } from '../../usecases/servers/load-server.js';
import { updateAllocation } from '../../usecases/servers/update-allocation.js';

export function updateServerAllocation(
  context: ServersContext,
): Handler<ServerServiceService['updateServerAllocation']> {
  return async ({ serverId, allocationId, notes, primary }, call) => {
    const { server } = await loadServer(context, serverId, call);
    const updated = await updateAllocation(context.stores, server, { allocationId, notes, primary });
    return { allocation: presentServerAllocation(updated.server, updated.allocation) };
  };
}
