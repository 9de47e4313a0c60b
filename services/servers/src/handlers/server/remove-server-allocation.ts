import type { Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { loadServer } from '../../usecases/servers/load-server.js';
import { removeAllocation } from '../../usecases/servers/remove-allocation.js';

export function removeServerAllocation(
  context: ServersContext,
): Handler<ServerServiceService['removeServerAllocation']> {
  return async ({ serverId, allocationId }, call) => {
    const { server } = await loadServer(context, serverId, call);
    await removeAllocation(context, server, allocationId);
    return {};
  };
}
