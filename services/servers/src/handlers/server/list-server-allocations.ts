import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentServer } from '../../present/server.js';
import { listServerAllocations } from '../../usecases/servers/view-server.js';

export function handleListServerAllocations(
  context: ServersContext,
): Handler<ServerServiceService['listServerAllocations']> {
  return async ({ serverId }, call) => {
    const { allocations, allocation } = presentServer(await listServerAllocations(context, serverId, call));
    return { allocations, primaryId: allocation?.id ?? '' };
  };
}
