import type { RoleServiceService } from '@panel/protos/identity';
import { type Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { parseFields, rolePermissionList, rateLimitMultiplier, roleName, singleLine } from '../../domain/fields.js';
import { presentRole } from '../../present/role.js';
import { createRole as create } from '../../usecases/roles/create-role.js';

const shape = {
  name: roleName,
  description: singleLine(0, 500),
  permissions: rolePermissionList,
  rate_limit_multiplier: rateLimitMultiplier,
};

export function createRole(context: IdentityContext): Handler<typeof RoleServiceService.createRole> {
  return async (request, { actor, idempotencyId }) => {
    const { name, description, permissions, rateLimitMultiplier: multiplier = 1 } = request;
    const given = parseFields(shape, { name, description, permissions, rate_limit_multiplier: multiplier });
    const { rate_limit_multiplier: rateLimit, ...rest } = given;
    const { role, usersCount } = await create(
      context,
      actor,
      { ...rest, rateLimitMultiplier: rateLimit },
      idempotencyId,
    );
    return { role: presentRole(role, usersCount) };
  };
}
