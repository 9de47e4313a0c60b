import type { RoleServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentRole } from '../../present/role.js';
import { getRole } from '../../usecases/roles/get-role.js';

export function handleGetRole(context: IdentityContext): Handler<typeof RoleServiceService.getRole> {
  return async ({ roleId }) => ({ role: presentRole(await getRole(context, roleId)) });
}
