import { randomUUID } from 'node:crypto';
import { type Handler, requireService } from '@panel/rpc';
import { isAppError } from '@panel/kit';
import type { UserServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { countAdmin, newAdminToken } from '../../domain/admins.js';
import { email, newPassword, parseFields, username } from '../../domain/fields.js';
import { roleOf } from '../../domain/rights.js';
import { adminRole } from '../../domain/system-roles.js';
import type { UserDocument } from '../../models/user.js';
import { presentUser } from '../../present.js';
import { fail } from '../../reasons.js';

export function ensureFirstAdmin(context: IdentityContext): Handler<typeof UserServiceService.ensureFirstAdmin> {
  return async (request, { actor, log, signal }) => {
    requireService(actor);
    const [existing] = await context.users.findByRole(adminRole.id, 1);
    if (existing) return { created: false, user: await present(context, existing) };
    const given = parseFields({ email, username, password: newPassword }, request);
    const passwordHash = await context.passwords.hash(given.password, signal);
    const created = await insert(context, { email: given.email, username: given.username, passwordHash });
    const user = created ?? (await winner(context));
    if (created) log.info({ userId: user._id }, 'first admin created');
    return { created: created !== null, user: await present(context, user) };
  };
}

/** Null when somebody else made the first admin in the meantime. */
async function insert(
  context: IdentityContext,
  given: Pick<UserDocument, 'email' | 'username' | 'passwordHash'>,
): Promise<UserDocument | null> {
  const { users, clock } = context;
  const asAdmin = { _id: randomUUID(), roleId: adminRole.id, adminToken: newAdminToken(), isBootstrap: true } as const;
  try {
    const user = await users.insert({ ...asAdmin, ...given }, clock());
    await countAdmin(context, user);
    return user;
  } catch (error) {
    // Two callers with the same e-mail meet in that index first; whether there is an admin now decides.
    if (!isAppError(error, 'FIRST_ADMIN_EXISTS') && (await users.findByRole(adminRole.id, 1)).length === 0) throw error;
    return null;
  }
}

async function winner({ users }: IdentityContext): Promise<UserDocument> {
  const [user] = await users.findByRole(adminRole.id, 1);
  if (!user) throw fail('BROKEN_REFERENCE', 'the first admin was made and is not an admin any more');
  return user;
}

async function present(context: IdentityContext, user: UserDocument) {
  return presentUser(user, await roleOf(context, user));
}
