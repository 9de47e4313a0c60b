import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { removeServerAllocation } from '../../usecases/servers/remove-server-allocation.js';

export function handleRemoveServerAllocation(
  context: ServersContext,
): Handler<ServerServiceService['removeServerAllocation']> {
  return async (request, call) => {
    await removeServerAllocation(context, request, call);
    return {};
  };
}
