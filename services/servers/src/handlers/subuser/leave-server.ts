import type { Handler } from '@panel/rpc';
import type { SubuserServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { loadManagedServer } from '../../usecases/subusers/caller.js';
import { leaveServer as leave } from '../../usecases/subusers/leave-server.js';

/** Give up the caller's own access. */
export function leaveServer(context: ServersContext): Handler<SubuserServiceService['leaveServer']> {
  return async ({ serverId }, call) => {
    await leave(context, await loadManagedServer(context, serverId, call), call.actor);
    return {};
  };
}
