import { type Handler, requirePermission } from '@panel/rpc';
import type { RoleServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { record } from '../../domain/record.js';
import { requireHeld } from '../../domain/rights.js';
import { fail } from '../../reasons.js';

/** Marked before its users are counted: whoever gives it away meanwhile sees the mark and takes it back. */
export function deleteRole(context: IdentityContext): Handler<typeof RoleServiceService.deleteRole> {
  return async ({ roleId }, { actor, log }) => {
    requirePermission(actor, 'roles.delete');
    const { roles, users, clock } = context;
    const role = await roles.findById(roleId);
    if (!role) throw fail('ROLE_NOT_FOUND', 'no such role');
    if (role.isSystem) throw fail('ROLE_IS_SYSTEM', 'this role cannot be deleted');
    requireHeld(actor, role.permissions, 'this role may do more than you');
    const beganAt = clock();
    if (!(await roles.beginDeletion(roleId, beganAt))) throw fail('ROLE_NOT_FOUND', 'no such role');
    const usersCount = await users.countByRole(roleId);
    if (usersCount > 0) {
      await roles.cancelDeletion(roleId);
      throw fail('ROLE_IN_USE', `${usersCount} users have this role`, { users_count: usersCount });
    }
    if (!(await roles.remove(roleId, beganAt))) throw fail('CONCURRENT_CHANGE', 'somebody else deletes this role');
    log.info({ roleId }, 'role deleted');
    record(context, { event: 'role:delete', actor, userId: '', properties: { name: role.name } });
    return {};
  };
}
