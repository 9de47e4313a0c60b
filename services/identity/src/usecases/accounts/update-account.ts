import { createEntry } from '@panel/outbox';
import type { UserActor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { ProfileChanges, UserRecord } from '../../domain/user.js';
import { fail } from '../../reasons.js';
import { limitEmailChanges } from '../attempts/attempt-limits.js';
import { type UserWithRole } from '../../domain/authorization.js';
import { loadCaller } from '../authorization/authorization.js';
import { checkCurrentPassword } from '../passwords/check-current-password.js';

/** Throws INVALID_FIELDS, EMAIL_TAKEN, USERNAME_TAKEN, RATE_LIMIT_EXCEEDED, CONCURRENT_CHANGE. */
export async function updateAccount(
  context: IdentityContext,
  actor: UserActor,
  { changes, currentPassword }: { readonly changes: ProfileChanges; readonly currentPassword: string },
  signal: AbortSignal,
): Promise<UserWithRole> {
  const { user, role } = await loadCaller(context, actor.userId);
  const newEmail = changes.email === user.email ? undefined : changes.email;
  if (newEmail !== undefined) {
    await checkCurrentPassword(context, user, { field: 'current_password', password: currentPassword }, signal);
    await limitEmailChanges(context, user.id);
  }
  const mail = newEmail === undefined ? undefined : emailChangedMail(context, user, newEmail);
  const { email: _email, ...others } = changes;
  const applied = newEmail === undefined ? others : { ...changes, isEmailUnproven: true };
  const updated = await context.users.update(user.id, { email: user.email }, applied, context.clock(), mail);
  if (!updated) throw fail('CONCURRENT_CHANGE', 'this account was changed at the same moment');
  // Gateways cache the username.
  if (updated.username !== user.username) await context.epochs.bump(user.id);
  await recordChanges(context, actor, user, updated);
  return { user: updated, role };
}

/** Warns the old address of a foreign change. */
function emailChangedMail({ clock, admin }: IdentityContext, user: UserRecord, newEmail: string) {
  if (admin === null) return undefined;
  const { email: to, username, language } = user;
  return createEntry({ kind: 'email_changed', to, username, language, content: newEmail } as const, clock());
}

async function recordChanges(
  context: IdentityContext,
  actor: UserActor,
  from: UserRecord,
  to: UserRecord,
): Promise<void> {
  const userId = to.id;
  if (from.email !== to.email) {
    const properties = { old: from.email, new: to.email };
    await context.activity.record({ event: 'user:account.email-changed', userId, properties }, actor);
  }
  if (from.username !== to.username) {
    const properties = { old: from.username, new: to.username };
    await context.activity.record({ event: 'user:account.username-changed', userId, properties }, actor);
  }
}
