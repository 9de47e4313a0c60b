import type { Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentAllocation } from '../../present/allocation.js';
import { addAllocation } from '../../usecases/servers/add-allocation.js';
import { createInQueue } from '../../usecases/servers/create-in-queue.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function addServerAllocation(context: ServersContext): Handler<ServerServiceService['addServerAllocation']> {
  return async ({ serverId }, call) =>
    createInQueue(context, serverId, call, async () => {
      const { server } = await loadServer(context, serverId, call);
      return { allocation: presentAllocation(await addAllocation(context, server, call.idempotencyId)) };
    });
}
