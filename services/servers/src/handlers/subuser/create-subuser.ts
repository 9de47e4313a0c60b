import type { Handler } from '@panel/rpc';
import type { SubuserServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { readPathRules } from '../../present/subuser.js';
import { createInQueue } from '../../usecases/servers/create-in-queue.js';
import { loadManagedServer } from '../../usecases/subusers/caller.js';
import { createSubuser as create } from '../../usecases/subusers/create-subuser.js';
import { showSubuser } from './show-subuser.js';

/** Give a user access, or invite an address. */
export function createSubuser(context: ServersContext): Handler<SubuserServiceService['createSubuser']> {
  return async ({ serverId, email, permissions, roleId, pathRules, expireTime }, call) =>
    createInQueue(context, serverId, call, async () => {
      const managed = await loadManagedServer(context, serverId, call);
      const request = {
        email,
        permissions,
        roleId,
        pathRules: readPathRules(pathRules),
        expiresAt: expireTime ?? null,
      };
      const subuser = await create(context, managed, request, call.idempotencyId);
      return { subuser: await showSubuser(context, managed.server, subuser) };
    });
}
