import { randomUUID } from 'node:crypto';
import { type Handler, requirePermission } from '@panel/kit';
import type { RoleServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { lineOfText, parseFields, permissionList, rateLimitMultiplier } from '../../domain/fields.js';
import { record } from '../../domain/record.js';
import { requireHeld } from '../../domain/rights.js';
import { roleNameKey } from '../../models/role.js';
import { presentRole } from '../../present.js';

const shape = {
  name: lineOfText(1, 64),
  description: lineOfText(0, 500),
  permissions: permissionList,
  rate_limit_multiplier: rateLimitMultiplier,
};

export function createRole(context: IdentityContext): Handler<typeof RoleServiceService.createRole> {
  return async (request, { actor, log }) => {
    requirePermission(actor, 'roles.create');
    const { name, description, permissions } = request;
    const multiplier = request.rateLimitMultiplier ?? 1;
    const given = parseFields(shape, { name, description, permissions, rate_limit_multiplier: multiplier });
    requireHeld(actor, given.permissions, 'a role cannot have permissions its maker lacks');
    const now = context.clock();
    const role = {
      _id: randomUUID(),
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
    await context.roles.insert(role);
    log.info({ roleId: role._id }, 'role created');
    record(context, { event: 'role:create', actor, userId: '', properties: { name: role.name } });
    return { role: presentRole(role, 0) };
  };
}
