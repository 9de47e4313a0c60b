import { type Handler, requirePermission } from '@panel/rpc';
import type { RoleServiceService, UpdateRoleRequest } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { lineOfText, parseFields, permissionList, rateLimitMultiplier } from '../../domain/fields.js';
import { record } from '../../domain/record.js';
import { requireHeld } from '../../domain/rights.js';
import type { RoleChanges } from '../../models/role.js';
import { presentRole } from '../../present.js';
import { fail } from '../../reasons.js';

export function updateRole(context: IdentityContext): Handler<typeof RoleServiceService.updateRole> {
  return async (request, { actor, log }) => {
    requirePermission(actor, 'roles.update');
    const changes = parseChanges(request);
    const { roles, users, clock, epochs } = context;
    const role = await roles.findById(request.roleId);
    if (!role) throw fail('ROLE_NOT_FOUND', 'no such role');
    if (role.isSystem) throw fail('ROLE_IS_SYSTEM', 'this role never changes');
    requireHeld(actor, [...role.permissions, ...(changes.permissions ?? [])], 'this role may do more than you');
    const updated = await roles.update(role._id, role.updatedAt, changes, clock());
    if (!updated) throw fail('CONCURRENT_CHANGE', 'this role was changed at the same moment');
    await epochs.changedForAll();
    log.info({ roleId: role._id }, 'role changed');
    record(context, { event: 'role:update', actor, userId: '', properties: { name: updated.name } });
    return { role: presentRole(updated, await users.countByRole(role._id)) };
  };
}

function parseChanges(request: UpdateRoleRequest): RoleChanges {
  const shape = {
    name: lineOfText(1, 64).optional(),
    description: lineOfText(0, 500).optional(),
    permissions: permissionList.optional(),
    rate_limit_multiplier: rateLimitMultiplier.optional(),
  };
  const given = parseFields(shape, {
    name: request.name,
    description: request.description,
    permissions: request.permissions?.permissions,
    rate_limit_multiplier: request.rateLimitMultiplier,
  });
  const { name, description, permissions, rate_limit_multiplier: multiplier } = given;
  const changes = { name, description, permissions, rateLimitMultiplier: multiplier };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
