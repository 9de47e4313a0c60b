import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { requireGrantable } from '../../domain/authorization.js';

/**
 * Marked before its users are counted: a concurrent assignment detects the mark and reverts. Throws ROLE_NOT_FOUND,
 * ROLE_IS_SYSTEM, ROLE_IN_USE, PERMISSION_EXCEEDS_OWN, CONCURRENT_CHANGE.
 */
export async function deleteRole(context: IdentityContext, actor: Actor, roleId: string): Promise<void> {
  const { roles, users, clock } = context;
  const role = await roles.findById(roleId);
  if (!role) throw fail('ROLE_NOT_FOUND', 'no such role');
  if (role.isSystem) throw fail('ROLE_IS_SYSTEM', 'this role cannot be deleted');
  requireGrantable(actor, role.permissions, 'this role may do more than you');
  const startedAt = clock();
  if (!(await roles.beginDeletion(roleId, startedAt))) throw fail('ROLE_NOT_FOUND', 'no such role');
  const usersCount = await users.countByRole(roleId);
  if (usersCount > 0) {
    await roles.cancelDeletion(roleId);
    throw fail('ROLE_IN_USE', `${usersCount} users have this role`, { users_count: usersCount });
  }
  if (!(await roles.remove(roleId, startedAt))) throw fail('CONCURRENT_CHANGE', 'this role is being deleted');
  context.log.info({ roleId }, 'role deleted');
  await context.activity.record({ event: 'role:delete', properties: { name: role.name } }, actor);
}
