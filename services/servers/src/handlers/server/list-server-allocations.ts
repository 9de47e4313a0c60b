import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { loadServer } from '../../usecases/servers/load-server.js';
import { showServer } from './show-server.js';

export function listServerAllocations(context: ServersContext): Handler<ServerServiceService['listServerAllocations']> {
  return async ({ serverId }, call) => {
    const { server } = await loadServer(context, serverId, call);
    const { allocations, allocation } = await showServer(context, server, call.actor, false);
    return { allocations, primaryId: allocation?.id ?? '' };
  };
}
