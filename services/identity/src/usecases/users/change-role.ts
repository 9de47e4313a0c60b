import type { IdentityContext } from '../../context.js';
import { isBeingDeleted, type RoleRecord } from '../../domain/role.js';
import { adminRole } from '../../domain/system-roles.js';
import type { ProfileChanges, UserRecord } from '../../domain/user.js';
import { fail } from '../../reasons.js';
import { countAdmin, newAdminToken, recountAdmins, retireAdmin } from '../../admins/count-admins.js';
import { unknownRoleError } from '../../domain/authorization.js';

/**
 * With other changes. `user`: as read at the authorisation; a role changed since throws CONCURRENT_CHANGE. Throws
 * LAST_ADMIN, INVALID_FIELDS (role deleted meanwhile), and the errors of taken values.
 */
export async function changeRole(
  context: IdentityContext,
  user: UserRecord,
  role: RoleRecord,
  profile: ProfileChanges,
): Promise<UserRecord> {
  const wasAdmin = user.roleId === adminRole.id;
  const adminToken = wasAdmin ? await retireAdmin(context, user) : user.adminToken;
  try {
    const updated = await assignRole(context, user.id, { roleId: user.roleId, adminToken }, role.id, profile);
    await revertIfRoleDeleted(context, updated, role.id, user.roleId);
    return updated;
  } catch (error) {
    // Still an admin, with a retired token.
    if (wasAdmin) await recountAdmins(context);
    throw error;
  }
}

async function assignRole(
  context: IdentityContext,
  userId: string,
  guard: { readonly roleId: string; readonly adminToken: string | null },
  roleId: string,
  profile: ProfileChanges,
): Promise<UserRecord> {
  const adminToken = roleId === adminRole.id ? newAdminToken() : null;
  const updated = await context.users.update(userId, guard, { ...profile, roleId, adminToken }, context.clock());
  if (!updated) throw fail('CONCURRENT_CHANGE', 'this user was changed at the same moment');
  await countAdmin(context, updated);
  return updated;
}

/** See `isBeingDeleted`. */
async function revertIfRoleDeleted(
  context: IdentityContext,
  user: UserRecord,
  roleId: string,
  formerRoleId: string,
): Promise<void> {
  const role = await context.roles.findById(roleId);
  if (role && !isBeingDeleted(role, context.clock())) return;
  await assignRole(context, user.id, { roleId, adminToken: user.adminToken }, formerRoleId, {});
  throw unknownRoleError();
}
