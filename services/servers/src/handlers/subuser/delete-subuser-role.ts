import type { Handler } from '@panel/rpc';
import type { SubuserServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { loadManagedServer } from '../../usecases/subusers/caller.js';
import { deleteSubuserRole as remove } from '../../usecases/subusers/subuser-roles.js';

/** Delete an unused role of a server. */
export function deleteSubuserRole(context: ServersContext): Handler<SubuserServiceService['deleteSubuserRole']> {
  return async ({ serverId, roleId }, call) => {
    await remove(context, await loadManagedServer(context, serverId, call), roleId);
    return {};
  };
}
