import { type Actor, createOnce } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { createPasswordLink } from '../../crypto/password-links.js';
import { isBeingDeleted } from '../../domain/role.js';
import { adminRole, userRole } from '../../domain/system-roles.js';
import type { NewUser, UserRecord } from '../../domain/user.js';
import { countAdmin, newAdminToken } from '../../admins/count-admins.js';
import { loadAssignableRole, loadRole } from '../authorization/authorization.js';
import { type UserView, viewUser } from './user-view.js';
import { requireStrongPassword } from '../../domain/password-strength.js';

export interface UserCreation {
  readonly profile: Omit<NewUser, 'id' | 'roleId' | 'passwordHash'>;
  /** Undefined: chosen by mailed link. */
  readonly password: string | undefined;
  readonly roleId: string;
  readonly idempotencyId: string | undefined;
}

/** Throws EMAIL_TAKEN, USERNAME_TAKEN, EXTERNAL_ID_TAKEN, INVALID_FIELDS (role), PERMISSION_EXCEEDS_OWN. */
export async function createUser(
  context: IdentityContext,
  actor: Actor,
  { profile, password, roleId, idempotencyId }: UserCreation,
  signal: AbortSignal,
): Promise<UserView> {
  const { object: inserted, isNew } = await createOnce(idempotencyId, {
    find: async (id) => context.users.findById(id),
    create: async (id) => {
      const role = await loadAssignableRole(context, actor, roleId || userRole.id);
      if (password !== undefined) requireStrongPassword(password, profile, context.commonPasswords);
      const passwordHash = password === undefined ? null : await context.passwords.hash(password, signal);
      return insert(context, { ...profile, id, passwordHash, roleId: role.id });
    },
  });
  // Also at a repetition: the inserting process may have died before.
  await countAdmin(context, inserted);
  const user = await recheckRole(context, inserted);
  if (isNew) {
    context.log.info({ userId: user.id }, 'user created');
    await context.activity.record({ event: 'user:create', userId: user.id, properties: { email: user.email } }, actor);
  }
  if (isNew && actor.kind === 'user') return { user, role: await loadRole(context, user), serversCount: 0 };
  return viewUser(context, actor, user);
}

/** Without a password, in one write with the link mail. */
async function insert(context: IdentityContext, given: NewUser): Promise<UserRecord> {
  const { box, clock, admin, log, users } = context;
  const now = clock();
  const adminToken = given.roleId === adminRole.id ? newAdminToken() : null;
  if (given.passwordHash !== null) return users.insert({ ...given, adminToken }, now);
  if (admin === null) {
    log.error({ userId: given.id }, 'a user without a password cannot be mailed: set ADMIN_ADDRESS');
    return users.insert({ ...given, adminToken }, now);
  }
  const { link, mail } = createPasswordLink(box, given, 'set_password', now);
  return users.insert({ ...given, adminToken, passwordReset: link }, now, mail);
}

/** See `isBeingDeleted`. */
async function recheckRole(context: IdentityContext, user: UserRecord): Promise<UserRecord> {
  const now = context.clock();
  const current = await context.roles.findById(user.roleId);
  if (current && !isBeingDeleted(current, now)) return user;
  const reset = await context.users.update(user.id, { roleId: user.roleId }, { roleId: userRole.id }, now);
  return reset ?? user;
}
