import { type Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { showServer } from './show-server.js';
import { transferServer as transfer } from '../../usecases/transfers/transfer-server.js';

export function transferServer(context: ServersContext): Handler<ServerServiceService['transferServer']> {
  return async ({ serverId, nodeId, allocationId, additionalAllocationIds }, { actor }) => {
    const target = { nodeId, allocationId, additionalAllocationIds: additionalAllocationIds?.allocationIds ?? null };
    return { server: await showServer(context, await transfer(context, serverId, target), actor, true) };
  };
}
