import type { IdentityContext } from '../context.js';
import type { UserDocument } from '../models/user.js';
import { fail } from '../reasons.js';
import { currentPasswordAttempt } from './attempt-limits.js';
import { isHashable } from './fields.js';

/** Somebody signed in proves to know the password. Throws INVALID_CREDENTIALS, also after too many tries, and HASHING_BUSY. */
export async function checkCurrentPassword(
  context: IdentityContext,
  user: UserDocument,
  password: string,
  signal: AbortSignal,
): Promise<void> {
  const { isTooMany, forgive } = await currentPasswordAttempt(context, user._id);
  const isPossible = !isTooMany && password !== '' && isHashable(password);
  const { isRight } = isPossible
    ? await context.passwords.verify(user.passwordHash, password, signal)
    : { isRight: false };
  if (!isRight) throw fail('INVALID_CREDENTIALS', 'these credentials are not right');
  await forgive();
}
