import type { Handler } from '@panel/rpc';
import type { SubuserServiceService, UpdateSubuserRequest } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { readPathRules } from '../../present/subuser.js';
import { loadManagedServer } from '../../usecases/subusers/caller.js';
import type { GrantRequest } from '../../usecases/subusers/resolve-grant.js';
import { updateSubuser as update } from '../../usecases/subusers/update-subuser.js';
import { showSubuser } from './show-subuser.js';

/** Change what a subuser may do. */
export function updateSubuser(context: ServersContext): Handler<SubuserServiceService['updateSubuser']> {
  return async (request, call) => {
    const managed = await loadManagedServer(context, request.serverId, call);
    const subuser = await update(context, managed, request.subuserId, {
      grant: readGrant(request.grant),
      pathRules: request.pathRules && readPathRules(request.pathRules.rules),
      expiresAt: request.expiry && (request.expiry.expireTime ?? null),
    });
    return { subuser: await showSubuser(context, managed.server, subuser) };
  };
}

function readGrant(grant: UpdateSubuserRequest['grant']): GrantRequest | undefined {
  if (grant === undefined) return undefined;
  return grant.$case === 'roleId'
    ? { roleId: grant.value, permissions: [] }
    : { roleId: '', permissions: grant.value.permissions };
}
