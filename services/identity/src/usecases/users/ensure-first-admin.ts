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

/** Null: no admin. */
export async function findAdmin(context: IdentityContext): Promise<UserWithRole | null> {
  const [user] = await context.users.findByRole(adminRole.id, 1);
  return user ? { user, role: await loadRole(context, user) } : null;
}

/** Idempotent; safe for concurrent callers. */
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

/** Null: a concurrent caller created the first admin. */
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
    // With equal e-mails that index fails first: checks for an admin instead.
    if (!isAppError(error, 'FIRST_ADMIN_EXISTS') && (await findAdmin(context)) === null) throw error;
    return null;
  }
}
