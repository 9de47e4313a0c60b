import { type Handler, presentEach } from '@panel/rpc';
import { SubuserRole, type SubuserServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { builtInRoles } from '../../domain/subusers/roles.js';
import { presentSubuserRole } from '../../present/subuser.js';
import { loadServer } from '../../usecases/servers/load-server.js';

/** The roles of a server. */
export function listSubuserRoles(context: ServersContext): Handler<SubuserServiceService['listSubuserRoles']> {
  return async ({ serverId }, call) => {
    const { server } = await loadServer(context, serverId, call);
    const roles = [...builtInRoles, ...(server.subuserRoles ?? [])];
    return { roles: presentEach(call, roles, presentSubuserRole, SubuserRole) };
  };
}
