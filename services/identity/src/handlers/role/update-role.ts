import type { RoleServiceService, UpdateRoleRequest } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { rolePermissionList, rateLimitMultiplier, roleName, singleLine } from '../../domain/fields.js';
import type { RoleChanges } from '../../domain/role.js';
import { presentRole } from '../../present/role.js';
import { updateRole } from '../../usecases/roles/update-role.js';
import { omitUndefined, readFields } from '../read-fields.js';

export function handleUpdateRole(context: IdentityContext): Handler<typeof RoleServiceService.updateRole> {
  return async (request, { actor }) => {
    return { role: presentRole(await updateRole(context, actor, request.roleId, readChanges(request))) };
  };
}

function readChanges(request: UpdateRoleRequest): RoleChanges {
  const shape = {
    name: roleName.optional(),
    description: singleLine(0, 500).optional(),
    permissions: rolePermissionList.optional(),
    rate_limit_multiplier: rateLimitMultiplier.optional(),
  };
  const given = readFields(shape, {
    name: request.name,
    description: request.description,
    permissions: request.permissions?.permissions,
    rate_limit_multiplier: request.rateLimitMultiplier,
  });
  const { name, description, permissions, rate_limit_multiplier: multiplier } = given;
  return omitUndefined({ name, description, permissions, rateLimitMultiplier: multiplier });
}
