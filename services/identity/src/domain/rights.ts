import { type Actor, requirePermission } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { IdentityContext } from '../context.js';
import type { RoleDocument } from '../models/role.js';
import type { UserDocument } from '../models/user.js';
import { fail } from '../reasons.js';
import { permissionsBeyond } from './permissions.js';
import { userRole } from './system-roles.js';

/** The user's role. Should it be gone, by a crash in the middle of its deletion, the role with the fewest rights. */
export async function roleOf(context: IdentityContext, user: UserDocument): Promise<RoleDocument> {
  const role = (await context.roles.findById(user.roleId)) ?? (await context.roles.findById(userRole.id));
  if (role) return role;
  throw fail('BROKEN_REFERENCE', 'the role `user` does not exist');
}

/** The roles of several users, by user id. */
export async function rolesOf(
  context: IdentityContext,
  users: readonly UserDocument[],
): Promise<(user: UserDocument) => RoleDocument> {
  const ids = [...new Set([userRole.id, ...users.map(({ roleId }) => roleId)])];
  const byId = new Map((await context.roles.findByIds(ids)).map((role) => [role._id, role]));
  return (user) => {
    const role = byId.get(user.roleId) ?? byId.get(userRole.id);
    if (role) return role;
    throw fail('BROKEN_REFERENCE', 'the role `user` does not exist');
  };
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

/** What an actor may do itself, and so may hand out or act upon. */
export function heldBy(actor: Actor): readonly string[] {
  if (actor.kind === 'service') return ['*'];
  return actor.kind === 'user' ? actor.permissions : [];
}

/** Throws PERMISSION_EXCEEDS_OWN unless the actor holds all of `permissions` itself. */
export function requireHeld(actor: Actor, permissions: readonly string[], message: string): void {
  const beyond = permissionsBeyond(heldBy(actor), permissions);
  if (beyond.length > 0) throw fail('PERMISSION_EXCEEDS_OWN', message, { permissions: beyond });
}

/**
 * The user an administrator is about to act upon. Checked in this order: the permission, the user's existence, and that
 * the user's role allows no more than the actor's own. Throws PERMISSION_MISSING, USER_NOT_FOUND, PERMISSION_EXCEEDS_OWN.
 */
export async function subjectOf(
  context: IdentityContext,
  actor: Actor,
  permission: string,
  userId: string,
): Promise<{ user: UserDocument; role: RoleDocument }> {
  requirePermission(actor, permission);
  const user = await context.users.findById(userId);
  if (!user) throw fail('USER_NOT_FOUND', 'no such user');
  const role = await roleOf(context, user);
  requireHeld(actor, role.permissions, 'this user may do more than you');
  return { user, role };
}

/** A deletion that has not come to an end by then has died. */
const staleDeletionMs = 60_000;

/**
 * Whether nobody may get this role. Whoever gives a role looks again after the gift, and whoever deletes one marks it before
 * counting its users, so that one of the two always sees the other.
 */
export function isBeingDeleted(role: RoleDocument, now: Date): boolean {
  return role.deletingAt !== null && now.getTime() - role.deletingAt.getTime() < staleDeletionMs;
}

/** For a role named in a request's body. */
export function noSuchRole() {
  return invalidFields({ role_id: ['there is no such role'] });
}

/** A role to give to somebody. Throws INVALID_FIELDS for an unknown one, PERMISSION_EXCEEDS_OWN. */
export async function roleToGive(context: IdentityContext, actor: Actor, roleId: string): Promise<RoleDocument> {
  const role = await context.roles.findById(roleId);
  if (!role || isBeingDeleted(role, context.clock())) throw noSuchRole();
  requireHeld(actor, role.permissions, 'this role may do more than you');
  return role;
}
