import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { IdentityContext } from '../../context.js';
import { isHashable } from '../../domain/fields.js';
import type { UserRecord } from '../../domain/user.js';
import { countCurrentPasswordAttempt, requireAttempt } from '../attempts/attempt-limits.js';

/**
 * Not 401, which would make clients sign in again. Throws INVALID_FIELDS naming `field`, RATE_LIMIT_EXCEEDED,
 * HASHING_BUSY.
 */
export async function checkCurrentPassword(
  context: IdentityContext,
  user: UserRecord,
  { field, password }: { readonly field: 'password' | 'current_password'; readonly password: string },
  signal: AbortSignal,
): Promise<void> {
  if (password === '') throw invalidFields({ [field]: [fieldProblem('required', 'is required')] });
  const attempt = await countCurrentPasswordAttempt(context, user.id);
  requireAttempt(context, attempt);
  const { isValid } = isHashable(password)
    ? await context.passwords.verify(user.passwordHash, password, signal)
    : { isValid: false };
  if (!isValid) throw invalidFields({ [field]: [fieldProblem('wrong', 'is not your current password')] });
  await attempt.refund();
}
