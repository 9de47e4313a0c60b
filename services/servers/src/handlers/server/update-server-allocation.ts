import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServerAllocation } from '../../present/server.js';
import { updateServerAllocation } from '../../usecases/servers/update-server-allocation.js';

export function handleUpdateServerAllocation(
  context: ServersContext,
): Handler<ServerServiceService['updateServerAllocation']> {
  return async (request, call) => {
    const { server, allocation } = await updateServerAllocation(context, request, call);
    return { allocation: presentServerAllocation(server, allocation) };
  };
}
