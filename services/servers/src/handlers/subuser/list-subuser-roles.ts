import { SubuserRole, type SubuserServiceService } from '@panel/protos/servers';
import { type Handler, presentEach } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentSubuserRole } from '../../present/subuser.js';
import { listSubuserRoles } from '../../usecases/subusers/list-subusers.js';

export function handleListSubuserRoles(context: ServersContext): Handler<SubuserServiceService['listSubuserRoles']> {
  return async ({ serverId }, call) => {
    const roles = await listSubuserRoles(context, serverId, call);
    return { roles: presentEach(call, roles, presentSubuserRole, SubuserRole) };
  };
}
