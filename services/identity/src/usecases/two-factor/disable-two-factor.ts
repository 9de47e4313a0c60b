import { invalidFields, isAppError, fieldProblem } from '@panel/kit/errors';
import type { Actor, UserActor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { loadCaller, loadTargetUser } from '../authorization/authorization.js';
import { checkCurrentPassword } from '../passwords/check-current-password.js';
import { type SecondFactor, verifySecondFactor } from './verify-second-factor.js';

/** Throws INVALID_FIELDS, TWO_FACTOR_DISABLED. */
export async function disableTwoFactor(
  context: IdentityContext,
  actor: UserActor,
  { password, proof }: { readonly password: string; readonly proof: SecondFactor },
  signal: AbortSignal,
): Promise<void> {
  const { user } = await loadCaller(context, actor.userId);
  await checkCurrentPassword(context, user, { field: 'password', password }, signal);
  if (!user.twoFactor) throw disabledAlready();
  await verifySecondFactor(context, user, proof).catch((error: unknown) => {
    if (!isAppError(error, 'INVALID_CREDENTIALS')) throw error;
    const field = proof?.kind === 'recoveryCode' ? 'recovery_code' : 'code';
    throw invalidFields({ [field]: [fieldProblem('wrong', 'is not valid, or was used before')] });
  });
  if (!(await removeTwoFactor(context, actor, user.id))) throw disabledAlready();
}

/** For a lost second factor. Idempotent. Throws USER_NOT_FOUND. */
export async function disableUserTwoFactor(context: IdentityContext, actor: Actor, userId: string): Promise<void> {
  const { user } = await loadTargetUser(context, actor, userId);
  await removeTwoFactor(context, actor, user.id);
}

/** False: already disabled. */
async function removeTwoFactor(context: IdentityContext, actor: Actor, userId: string): Promise<boolean> {
  if (!(await context.twoFactor.disable(userId, context.clock()))) return false;
  await context.epochs.bump(userId);
  await context.activity.record({ event: 'user:two-factor.delete', userId }, actor);
  return true;
}

function disabledAlready() {
  return fail('TWO_FACTOR_DISABLED', 'two-factor authentication is off');
}
