import type { IdentityContext } from '../../context.js';
import { isHashable } from '../../domain/fields.js';
import type { UserRecord } from '../../domain/user.js';
import { fail } from '../../reasons.js';
import { countCurrentPasswordAttempt } from '../attempts/attempt-limits.js';

/** A signed-in user proves to know the password. Throws INVALID_CREDENTIALS, also after too many attempts, and HASHING_BUSY. */
export async function checkCurrentPassword(
  context: IdentityContext,
  user: UserRecord,
  password: string,
  signal: AbortSignal,
): Promise<void> {
  const { isTooMany, refund } = await countCurrentPasswordAttempt(context, user._id);
  const isPossible = !isTooMany && password !== '' && isHashable(password);
  const { isValid } = isPossible
    ? await context.passwords.verify(user.passwordHash, password, signal)
    : { isValid: false };
  if (!isValid) throw fail('INVALID_CREDENTIALS', 'these credentials are not right');
  await refund();
}
