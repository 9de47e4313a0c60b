import { randomUUID } from 'node:crypto';
import { adminRole } from '../domain/system-roles.js';
import type { UserRecord } from '../domain/user.js';
import type { AdminRoster } from '../models/admin-roster.js';
import type { UserStore } from '../models/user.js';
import { fail } from '../reasons.js';

interface AdminDependencies {
  readonly users: Pick<UserStore, 'findByRole' | 'update'>;
  readonly roster: AdminRoster;
  readonly clock: () => Date;
}

/** Admins read when the roster is repaired: more than any installation has. */
const maxAdmins = 1000;

/** A token for a user who becomes an admin. Store it with the role, then `countAdmin` it. */
export function newAdminToken(): string {
  return randomUUID();
}

/** Count a user who has the role `admin` now. */
export async function countAdmin({ roster }: Pick<AdminDependencies, 'roster'>, user: UserRecord): Promise<void> {
  if (user.roleId === adminRole.id && user.adminToken !== null) await roster.add(user.adminToken);
}

/**
 * Take an admin out of the count before the role or the user is removed. The update that follows must be conditional on the
 * returned `adminToken`. Throws LAST_ADMIN.
 */
export async function retireAdmin(dependencies: AdminDependencies, user: UserRecord): Promise<string> {
  const token = user.adminToken ?? (await recount(dependencies, user))?.adminToken;
  if (!token) throw fail('CONCURRENT_CHANGE', 'this user was changed at the same moment');
  if (await dependencies.roster.retire(token)) return token;
  // Another admin may exist and not be counted, because the process that created it died before counting.
  await recountAdmins(dependencies);
  if (await dependencies.roster.retire(token)) return token;
  throw fail('LAST_ADMIN', 'there must always be a user with the role admin');
}

/** Count all admins. Safe at any time, by several replicas at once. */
export async function recountAdmins(dependencies: AdminDependencies): Promise<void> {
  for (const admin of await dependencies.users.findByRole(adminRole.id, maxAdmins)) await recount(dependencies, admin);
}

/** Count one admin, with a new token if the old one is retired: then the process that retired it loses its race or is dead. */
async function recount(dependencies: AdminDependencies, admin: UserRecord): Promise<UserRecord | null> {
  const { users, roster, clock } = dependencies;
  const isCountable = admin.adminToken !== null && !(await roster.isRetired(admin.adminToken));
  const guard = { roleId: adminRole.id, adminToken: admin.adminToken };
  const current = isCountable ? admin : await users.update(admin.id, guard, { adminToken: newAdminToken() }, clock());
  if (current) await countAdmin(dependencies, current);
  return current;
}
