import type { Handler } from '@panel/rpc';
import type { SubuserServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentSubuserRole } from '../../present/subuser.js';
import { loadManagedServer } from '../../usecases/subusers/caller.js';
import { updateSubuserRole as update } from '../../usecases/subusers/subuser-roles.js';

/** Change a role of a server, and with it what every subuser with the role may do. */
export function updateSubuserRole(context: ServersContext): Handler<SubuserServiceService['updateSubuserRole']> {
  return async ({ serverId, roleId, name, permissions }, call) => {
    const managed = await loadManagedServer(context, serverId, call);
    const changes = { name, permissions: permissions?.permissions };
    return { role: presentSubuserRole(await update(context, managed, roleId, changes)) };
  };
}
