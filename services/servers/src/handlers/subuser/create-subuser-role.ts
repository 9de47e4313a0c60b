import type { SubuserServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentSubuserRole } from '../../present/subuser.js';
import { createSubuserRole } from '../../usecases/subusers/subuser-roles.js';

export function handleCreateSubuserRole(context: ServersContext): Handler<SubuserServiceService['createSubuserRole']> {
  return async ({ serverId, name, permissions }, call) => ({
    role: presentSubuserRole(await createSubuserRole(context, serverId, { name, permissions }, call)),
  });
}
