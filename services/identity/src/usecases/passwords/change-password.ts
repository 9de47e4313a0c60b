import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { UserActor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { loadCaller } from '../authorization/authorization.js';
import { purgeEndedSessions } from '../sessions/open-session.js';
import { checkCurrentPassword } from './check-current-password.js';
import { requireStrongPassword } from '../../domain/password-strength.js';

/** Ends all other sessions. Throws INVALID_FIELDS, RATE_LIMIT_EXCEEDED. */
export async function changePassword(
  context: IdentityContext,
  caller: UserActor,
  { current, next }: { readonly current: string; readonly next: string },
  signal: AbortSignal,
): Promise<void> {
  const { user } = await loadCaller(context, caller.userId);
  await checkCurrentPassword(context, user, { field: 'current_password', password: current }, signal);
  if (next === current)
    throw invalidFields({ password: [fieldProblem('unchanged', 'must not be the current password')] });
  requireStrongPassword(next, user, context.commonPasswords);
  const hash = await context.passwords.hash(next, signal);
  const keepSessionId = caller.method === 'session' ? caller.credentialId : null;
  const guard = { passwordHash: user.passwordHash };
  const updated = await context.users.setPassword(user.id, guard, { hash, keepSessionId }, context.clock());
  // A concurrent change won: the given password is outdated.
  if (!updated) throw invalidFields({ current_password: [fieldProblem('wrong', 'is not your current password')] });
  await purgeEndedSessions(context, updated);
  await context.activity.record({ event: 'user:account.password-changed', userId: user.id }, caller);
}
