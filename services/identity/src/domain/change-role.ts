import type { IdentityContext } from '../context.js';
import type { RoleDocument } from '../models/role.js';
import type { ProfileChanges, UserDocument } from '../models/user.js';
import { fail } from '../reasons.js';
import { countAdmin, newAdminToken, recountAll, retireAdmin } from './admins.js';
import { isBeingDeleted, noSuchRole } from './rights.js';
import { adminRole } from './system-roles.js';

/**
 * Give a user another role, together with other changes. `user` is as it was when the caller's right to it was checked: if
 * its role has changed since, CONCURRENT_CHANGE. Throws LAST_ADMIN, INVALID_FIELDS (the role was deleted meanwhile), and
 * what is taken.
 */
export async function changeRole(
  context: IdentityContext,
  user: UserDocument,
  role: RoleDocument,
  profile: ProfileChanges,
): Promise<UserDocument> {
  const wasAdmin = user.roleId === adminRole.id;
  const adminToken = wasAdmin ? await retireAdmin(context, user) : user.adminToken;
  try {
    const updated = await moveTo(context, user._id, { roleId: user.roleId, adminToken }, role._id, profile);
    await requireStillThere(context, updated, role._id, user.roleId);
    return updated;
  } catch (error) {
    // Still an admin, with a token that is retired: count again.
    if (wasAdmin) await recountAll(context);
    throw error;
  }
}

async function moveTo(
  context: IdentityContext,
  userId: string,
  guard: { readonly roleId: string; readonly adminToken: string | null },
  roleId: string,
  profile: ProfileChanges,
): Promise<UserDocument> {
  const adminToken = roleId === adminRole.id ? newAdminToken() : null;
  const updated = await context.users.update(userId, guard, { ...profile, roleId, adminToken }, context.clock());
  if (!updated) throw fail('CONCURRENT_CHANGE', 'this user was changed at the same moment');
  await countAdmin(context, updated);
  return updated;
}

/** Take the role back if it is being deleted in this very moment: see `isBeingDeleted`. */
async function requireStillThere(
  context: IdentityContext,
  user: UserDocument,
  roleId: string,
  formerRoleId: string,
): Promise<void> {
  const role = await context.roles.findById(roleId);
  if (role && !isBeingDeleted(role, context.clock())) return;
  await moveTo(context, user._id, { roleId, adminToken: user.adminToken }, formerRoleId, {});
  throw noSuchRole();
}
