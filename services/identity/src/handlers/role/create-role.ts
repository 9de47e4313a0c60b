import { createOnce, type Handler, requirePermission } from '@panel/rpc';
import type { CreateRoleRequest, RoleServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { lineOfText, parseFields, permissionList, rateLimitMultiplier } from '../../domain/fields.js';
import { record } from '../../domain/record.js';
import { requireHeld } from '../../domain/rights.js';
import { type RoleDocument, roleNameKey } from '../../models/role.js';
import { presentRole } from '../../present.js';

const shape = {
  name: lineOfText(1, 64),
  description: lineOfText(0, 500),
  permissions: permissionList,
  rate_limit_multiplier: rateLimitMultiplier,
};

export function createRole(context: IdentityContext): Handler<typeof RoleServiceService.createRole> {
  return async (request, { actor, idempotencyId, log }) => {
    requirePermission(actor, 'roles.create');
    const given = parseRole(request);
    requireHeld(actor, given.permissions, 'a role cannot have permissions its maker lacks');
    const { object: role, isNew } = await createOnce(idempotencyId, {
      find: async (id) => context.roles.findById(id),
      create: async (_id) => insert(context, _id, given),
    });
    if (isNew) {
      log.info({ roleId: role._id }, 'role created');
      record(context, { event: 'role:create', actor, userId: '', properties: { name: role.name } });
    }
    const usersCount = isNew ? 0 : await context.users.countByRole(role._id);
    return { role: presentRole(role, usersCount) };
  };
}

function parseRole({ name, description, permissions, rateLimitMultiplier: multiplier = 1 }: CreateRoleRequest) {
  return parseFields(shape, { name, description, permissions, rate_limit_multiplier: multiplier });
}

async function insert(
  { clock, roles }: IdentityContext,
  _id: string,
  given: ReturnType<typeof parseRole>,
): Promise<RoleDocument> {
  const now = clock();
  const role = {
    _id,
    name: given.name,
    nameKey: roleNameKey(given.name),
    description: given.description,
    permissions: given.permissions,
    rateLimitMultiplier: given.rate_limit_multiplier,
    isSystem: false,
    deletingAt: null,
    createdAt: now,
    updatedAt: now,
  };
  await roles.insert(role);
  return role;
}
