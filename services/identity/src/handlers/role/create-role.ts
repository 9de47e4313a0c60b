import type { RoleServiceService } from '@panel/protos/identity';
import type { Handler } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { rolePermissionList, rateLimitMultiplier, roleName, singleLine } from '../../domain/fields.js';
import { presentRole } from '../../present/role.js';
import { createRole } from '../../usecases/roles/create-role.js';
import { readFields } from '../read-fields.js';

const shape = {
  name: roleName,
  description: singleLine(0, 500),
  permissions: rolePermissionList,
  rate_limit_multiplier: rateLimitMultiplier,
};

export function handleCreateRole(context: IdentityContext): Handler<typeof RoleServiceService.createRole> {
  return async (request, { actor, idempotencyId }) => {
    const { name, description, permissions, rateLimitMultiplier: multiplier = 1 } = request;
    const given = readFields(shape, { name, description, permissions, rate_limit_multiplier: multiplier });
    const { rate_limit_multiplier: rateLimit, ...rest } = given;
    const terms = { ...rest, rateLimitMultiplier: rateLimit };
    return { role: presentRole(await createRole(context, actor, terms, idempotencyId)) };
  };
}
