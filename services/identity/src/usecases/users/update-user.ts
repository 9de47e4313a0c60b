import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { ProfileChanges, UserRecord } from '../../domain/user.js';
import { fail } from '../../reasons.js';
import { requireNotOwnPromotion } from '../../domain/authorization.js';
import { loadAssignableRole, loadRole, loadTargetUser } from '../authorization/authorization.js';
import { requireStrongPassword } from '../../domain/password-strength.js';
import { purgeEndedSessions } from '../sessions/open-session.js';
import { changeRole } from './change-role.js';
import { type UserView, viewUser } from './user-view.js';

export interface UserUpdate {
  readonly profile: ProfileChanges;
  readonly password: string | undefined;
  readonly roleId: string | undefined;
  /** Given fields, for the activity log. */
  readonly fields: readonly string[];
}

/** Throws as createUser, and USER_NOT_FOUND, CONCURRENT_CHANGE, LAST_ADMIN. */
export async function updateUser(
  context: IdentityContext,
  actor: Actor,
  userId: string,
  update: UserUpdate,
  signal: AbortSignal,
): Promise<UserView> {
  const { user } = await loadTargetUser(context, actor, userId);
  if (update.password !== undefined)
    requireStrongPassword(update.password, { ...user, ...update.profile }, context.commonPasswords);
  // Hashed before any write: only this can be refused for lack of capacity.
  const hash = update.password === undefined ? null : await context.passwords.hash(update.password, signal);
  let updated = await applyChanges(context, actor, user, update);
  if (hash !== null) updated = await setPassword(context, updated, hash);
  await context.epochs.bump(user.id);
  context.log.info({ userId: user.id }, 'user changed');
  const properties = { fields: update.fields.join(', ') };
  await context.activity.record({ event: 'user:update', userId, properties }, actor);
  return viewUser(context, actor, updated);
}

/** All but the password, conditional on the checked role. */
async function applyChanges(
  context: IdentityContext,
  actor: Actor,
  user: UserRecord,
  { profile, roleId }: UserUpdate,
): Promise<UserRecord> {
  if (roleId !== undefined && roleId !== user.roleId) {
    const role = await loadAssignableRole(context, actor, roleId);
    requireNotOwnPromotion(actor, { user, role: await loadRole(context, user) }, role);
    return changeRole(context, user, role, profile);
  }
  const updated = await context.users.update(user.id, { roleId: user.roleId }, profile, context.clock());
  if (!updated) throw fail('CONCURRENT_CHANGE', 'this user was changed at the same moment');
  return updated;
}

async function setPassword(context: IdentityContext, user: UserRecord, hash: string): Promise<UserRecord> {
  const guard = { roleId: user.roleId };
  const updated = await context.users.setPassword(user.id, guard, { hash, keepSessionId: null }, context.clock());
  if (!updated) throw fail('CONCURRENT_CHANGE', 'this user was changed at the same moment');
  await purgeEndedSessions(context, updated);
  return updated;
}
