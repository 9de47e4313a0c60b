import type { Handler } from '@panel/rpc';
import type { SubuserServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { loadManagedServer } from '../../usecases/subusers/caller.js';
import { deleteSubuser as remove } from '../../usecases/subusers/update-subuser.js';

/** Take access, or an invitation, away. */
export function deleteSubuser(context: ServersContext): Handler<SubuserServiceService['deleteSubuser']> {
  return async ({ serverId, subuserId }, call) => {
    await remove(context, await loadManagedServer(context, serverId, call), subuserId);
    return {};
  };
}
