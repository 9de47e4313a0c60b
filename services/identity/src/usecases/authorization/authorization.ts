import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { requireGrantable, unknownRoleError, type UserWithRole } from '../../domain/authorization.js';
import { isBeingDeleted, type RoleRecord } from '../../domain/role.js';
import { userRole } from '../../domain/system-roles.js';
import type { UserRecord } from '../../domain/user.js';
import { fail } from '../../reasons.js';

/** Missing role (interrupted deletion): the one with the fewest permissions. */
export async function loadRole(context: IdentityContext, user: UserRecord): Promise<RoleRecord> {
  const role = (await context.roles.findById(user.roleId)) ?? (await context.roles.findById(userRole.id));
  if (role) return role;
  throw fail('BROKEN_REFERENCE', 'the role `user` does not exist');
}

export async function loadRoles(
  context: IdentityContext,
  users: readonly UserRecord[],
): Promise<(user: UserRecord) => RoleRecord> {
  const ids = [...new Set([userRole.id, ...users.map(({ roleId }) => roleId)])];
  const byId = new Map((await context.roles.findByIds(ids)).map((role) => [role.id, role]));
  return (user) => {
    const role = byId.get(user.roleId) ?? byId.get(userRole.id);
    if (role) return role;
    throw fail('BROKEN_REFERENCE', 'the role `user` does not exist');
  };
}

/** Throws INVALID_TOKEN for a deleted account. */
export async function loadCaller(context: IdentityContext, userId: string): Promise<UserWithRole> {
  const user = await context.users.findById(userId);
  if (!user) throw fail('INVALID_TOKEN', 'the account does not exist any more');
  return { user, role: await loadRole(context, user) };
}

/**
 * Target of an administrator; its permissions must not exceed the actor's. Throws USER_NOT_FOUND,
 * PERMISSION_EXCEEDS_OWN.
 */
export async function loadTargetUser(context: IdentityContext, actor: Actor, userId: string): Promise<UserWithRole> {
  const user = await context.users.findById(userId);
  if (!user) throw fail('USER_NOT_FOUND', 'no such user');
  const role = await loadRole(context, user);
  requireGrantable(actor, role.permissions, 'this user may do more than you');
  return { user, role };
}

/** Throws INVALID_FIELDS for an unknown role, PERMISSION_EXCEEDS_OWN. */
export async function loadAssignableRole(context: IdentityContext, actor: Actor, roleId: string): Promise<RoleRecord> {
  const role = await context.roles.findById(roleId);
  if (!role || isBeingDeleted(role, context.clock())) throw unknownRoleError();
  requireGrantable(actor, role.permissions, 'this role may do more than you');
  return role;
}

/** Throws OWN_RATE_LIMIT when it raises the actor's own role. */
export async function requireNotOwnRaise(
  context: IdentityContext,
  actor: Actor,
  role: RoleRecord,
  multiplier: number | undefined,
): Promise<void> {
  if (actor.kind !== 'user' || multiplier === undefined || multiplier <= role.rateLimitMultiplier) return;
  const { user } = await loadCaller(context, actor.userId);
  if (user.roleId === role.id) throw fail('OWN_RATE_LIMIT', 'nobody raises the rate limit of their own role');
}
