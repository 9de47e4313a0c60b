import { randomUUID } from 'node:crypto';
import { isAppError } from '@panel/kit/errors';
import type { IdentityContext } from '../../context.js';
import { adminRole } from '../../domain/system-roles.js';
import type { UserWithRole } from '../../domain/authorization.js';
import type { UserRecord } from '../../domain/user.js';
import { loadRole } from '../authorization/authorization.js';
import { fail } from '../../reasons.js';
import { countAdmin, newAdminToken } from '../../admins/count-admins.js';
import { requireStrongPassword } from '../../domain/password-strength.js';

export interface FirstAdmin {
  readonly email: string;
  readonly username: string;
  readonly password: string;
}

/** Any admin, if there is one. */
export async function findAdmin(context: IdentityContext): Promise<UserWithRole | null> {
  const [user] = await context.users.findByRole(adminRole.id, 1);
  return user ? { user, role: await loadRole(context, user) } : null;
}

/** Create the first admin unless there is one. Safe for several callers at once. */
export async function ensureFirstAdmin(
  context: IdentityContext,
  { email, username, password }: FirstAdmin,
  signal: AbortSignal,
): Promise<UserWithRole & { readonly isNew: boolean }> {
  requireStrongPassword(password, { email, username }, context.commonPasswords);
  const passwordHash = await context.passwords.hash(password, signal);
  const created = await insert(context, { email, username, passwordHash });
  if (created) {
    context.log.info({ userId: created.id }, 'first admin created');
    return { user: created, role: await loadRole(context, created), isNew: true };
  }
  const existing = await findAdmin(context);
  if (!existing) throw fail('BROKEN_REFERENCE', 'the first admin was created and is not an admin any more');
  return { ...existing, isNew: false };
}

/** Null when a concurrent caller created the first admin. */
async function insert(
  context: IdentityContext,
  given: Pick<UserRecord, 'email' | 'username' | 'passwordHash'>,
): Promise<UserRecord | null> {
  const { users, clock } = context;
  const asAdmin = { id: randomUUID(), roleId: adminRole.id, adminToken: newAdminToken(), isBootstrap: true } as const;
  try {
    const user = await users.insert({ ...asAdmin, ...given }, clock());
    await countAdmin(context, user);
    return user;
  } catch (error) {
    // Two callers with the same e-mail meet in that index first; whether there is an admin now decides.
    if (!isAppError(error, 'FIRST_ADMIN_EXISTS') && (await findAdmin(context)) === null) throw error;
    return null;
  }
}
