import { randomUUID } from 'node:crypto';
import { adminRole } from '../domain/system-roles.js';
import type { UserRecord } from '../domain/user.js';
import type { AdminRoster } from '../models/admin-roster.js';
import type { UserStore } from '../models/user.js';
import { fail } from '../reasons.js';

interface AdminDeps {
  readonly users: Pick<UserStore, 'findByRole' | 'update'>;
  readonly roster: AdminRoster;
  readonly clock: () => Date;
}

/** More than any installation has. */
const maxAdmins = 1000;

/** For a new admin. Store it with the role, then call `countAdmin`. */
export function newAdminToken(): string {
  return randomUUID();
}

/** Counts a current admin. */
export async function countAdmin({ roster }: Pick<AdminDeps, 'roster'>, user: UserRecord): Promise<void> {
  if (user.roleId === adminRole.id && user.adminToken !== null) await roster.add(user.adminToken);
}

/**
 * Before the role or user is removed. The following update must be conditional on the returned `adminToken`. Throws
 * LAST_ADMIN.
 */
export async function retireAdmin(deps: AdminDeps, user: UserRecord): Promise<string> {
  const token = user.adminToken ?? (await recount(deps, user))?.adminToken;
  if (!token) throw fail('CONCURRENT_CHANGE', 'this user was changed at the same moment');
  if (await deps.roster.retire(token)) return token;
  // An admin may be uncounted: its creating process died before counting.
  await recountAdmins(deps);
  if (await deps.roster.retire(token)) return token;
  throw fail('LAST_ADMIN', 'there must always be a user with the role admin');
}

/** Safe at any time, by concurrent replicas. */
export async function recountAdmins(deps: AdminDeps): Promise<void> {
  for (const admin of await deps.users.findByRole(adminRole.id, maxAdmins)) await recount(deps, admin);
}

/** Replaces a retired token: the retiring process then fails its conditional update, or is dead. */
async function recount(deps: AdminDeps, admin: UserRecord): Promise<UserRecord | null> {
  const { users, roster, clock } = deps;
  const isCountable = admin.adminToken !== null && !(await roster.isRetired(admin.adminToken));
  const guard = { roleId: adminRole.id, adminToken: admin.adminToken };
  const current = isCountable ? admin : await users.update(admin.id, guard, { adminToken: newAdminToken() }, clock());
  if (current) await countAdmin(deps, current);
  return current;
}
