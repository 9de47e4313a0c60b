import type { Handler } from '@panel/rpc';
import type { SubuserServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { presentSubuserRole } from '../../present/subuser.js';
import { loadManagedServer } from '../../usecases/subusers/caller.js';
import { createSubuserRole as create } from '../../usecases/subusers/subuser-roles.js';

/** Add a role to a server. */
export function createSubuserRole(context: ServersContext): Handler<SubuserServiceService['createSubuserRole']> {
  return async ({ serverId, name, permissions }, call) => {
    const managed = await loadManagedServer(context, serverId, call);
    return { role: presentSubuserRole(await create(context, managed, { name, permissions }, call.idempotencyId)) };
  };
}
