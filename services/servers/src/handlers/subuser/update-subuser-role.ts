import type { SubuserServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentSubuserRole } from '../../present/subuser.js';
import { updateSubuserRole } from '../../usecases/subusers/subuser-roles.js';

/** Also changes the role's subusers. */
export function handleUpdateSubuserRole(context: ServersContext): Handler<SubuserServiceService['updateSubuserRole']> {
  return async ({ serverId, roleId, name, permissions }, call) => {
    const changes = { name, permissions: permissions?.permissions };
    return { role: presentSubuserRole(await updateSubuserRole(context, { serverId, roleId }, changes, call)) };
  };
}
