import { randomUUID } from 'node:crypto';
import type { IdentityContext } from '../context.js';
import type { UserDocument } from '../models/user.js';
import { fail } from '../reasons.js';
import { adminRole } from './system-roles.js';

/** Admins looked at when the roster is put right: more than anybody has. */
const maxAdmins = 1000;

/** A token for a user who becomes an admin. Store it with the role, then `countAdmin` it. */
export function newAdminToken(): string {
  return randomUUID();
}

/** Count somebody who has the role `admin` now. */
export async function countAdmin({ roster }: IdentityContext, user: UserDocument): Promise<void> {
  if (user.roleId === adminRole.id && user.adminToken !== null) await roster.add(user.adminToken);
}

/**
 * Take an admin out of the count before the role or the user goes. What follows must be conditional on `adminToken` still
 * being the one returned. Throws LAST_ADMIN.
 */
export async function retireAdmin(context: IdentityContext, user: UserDocument): Promise<string> {
  const token = user.adminToken ?? (await recount(context, user))?.adminToken;
  if (!token) throw fail('CONCURRENT_CHANGE', 'this user was changed at the same moment');
  if (await context.roster.retire(token)) return token;
  // Perhaps another admin is there and not counted, because whoever made them one died before counting.
  await recountAll(context);
  if (await context.roster.retire(token)) return token;
  throw fail('LAST_ADMIN', 'there must always be a user with the role admin');
}

/** See that all admins are counted. Safe at any time, by several replicas at once. */
export async function recountAll(context: IdentityContext): Promise<void> {
  for (const admin of await context.users.findByRole(adminRole.id, maxAdmins)) await recount(context, admin);
}

/** Count one admin, with a new token if the old one is retired: then whoever retired it loses its race or is dead. */
async function recount(context: IdentityContext, admin: UserDocument): Promise<UserDocument | null> {
  const { users, roster, clock } = context;
  const isCountable = admin.adminToken !== null && !(await roster.isRetired(admin.adminToken));
  const guard = { roleId: adminRole.id, adminToken: admin.adminToken };
  const current = isCountable ? admin : await users.update(admin._id, guard, { adminToken: newAdminToken() }, clock());
  if (current) await countAdmin(context, current);
  return current;
}
