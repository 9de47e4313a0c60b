import type { IdentityContext } from '../context.js';
import type { RoleDocument } from '../models/role.js';
import type { UserDocument } from '../models/user.js';
import { fail } from '../reasons.js';

/** The user's role. A user without one is a defect: roles in use cannot be deleted. */
export async function roleOf(context: IdentityContext, user: UserDocument): Promise<RoleDocument> {
  const role = await context.roles.findById(user.roleId);
  if (role) return role;
  throw fail('BROKEN_REFERENCE', `user ${user._id} has the role ${user.roleId}, which does not exist`);
}

/** The person who calls, with their role as it is now. Throws INVALID_TOKEN when the account is gone. */
export async function callerWithRole(
  context: IdentityContext,
  userId: string,
): Promise<{ user: UserDocument; role: RoleDocument }> {
  const user = await context.users.findById(userId);
  if (!user) throw fail('INVALID_TOKEN', 'the account does not exist any more');
  return { user, role: await roleOf(context, user) };
}
