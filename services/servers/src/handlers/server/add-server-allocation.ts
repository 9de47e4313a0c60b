import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentAllocation } from '../../present/server.js';
import { addServerAllocation } from '../../usecases/servers/add-server-allocation.js';

export function handleAddServerAllocation(
  context: ServersContext,
): Handler<ServerServiceService['addServerAllocation']> {
  return async ({ serverId }, call) => ({
    allocation: presentAllocation(await addServerAllocation(context, serverId, call)),
  });
}
