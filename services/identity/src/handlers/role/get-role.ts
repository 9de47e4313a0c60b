import type { RoleServiceService } from '@panel/protos/identity';
import { type Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { presentRole } from '../../present/role.js';
import { fail } from '../../reasons.js';

export function getRole({ roles, users }: IdentityContext): Handler<typeof RoleServiceService.getRole> {
  return async ({ roleId }) => {
    const role = await roles.findById(roleId);
    if (!role) throw fail('ROLE_NOT_FOUND', 'no such role');
    return { role: presentRole(role, await users.countByRole(roleId)) };
  };
}
