import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { RoleChanges } from '../../domain/role.js';
import { fail } from '../../reasons.js';
import type { CountedRole } from './get-role.js';
import { requireGrantable } from '../../domain/authorization.js';
import { requireNotOwnRaise } from '../authorization/authorization.js';

/** Throws ROLE_NOT_FOUND, ROLE_IS_SYSTEM, PERMISSION_EXCEEDS_OWN, ROLE_NAME_TAKEN, CONCURRENT_CHANGE. */
export async function updateRole(
  context: IdentityContext,
  actor: Actor,
  roleId: string,
  changes: RoleChanges,
): Promise<CountedRole> {
  const { roles, users, clock, epochs } = context;
  const role = await roles.findById(roleId);
  if (!role) throw fail('ROLE_NOT_FOUND', 'no such role');
  if (role.isSystem) throw fail('ROLE_IS_SYSTEM', 'this role never changes');
  requireGrantable(actor, [...role.permissions, ...(changes.permissions ?? [])], 'this role may do more than you');
  await requireNotOwnRaise(context, actor, role, changes.rateLimitMultiplier);
  const updated = await roles.update(role.id, role.updatedAt, changes, clock());
  if (!updated) throw fail('CONCURRENT_CHANGE', 'this role was changed at the same moment');
  await epochs.bumpAll();
  context.log.info({ roleId: role.id }, 'role changed');
  await context.activity.record({ event: 'role:update', properties: { name: updated.name } }, actor);
  return { role: updated, usersCount: await users.countByRole(role.id) };
}
