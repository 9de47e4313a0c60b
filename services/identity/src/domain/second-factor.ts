import type { IdentityContext } from '../context.js';
import { plainRecoveryCode } from '../crypto/recovery-codes.js';
import { matchTotpStep } from '../crypto/totp.js';
import type { UserDocument } from '../models/user.js';
import { fail } from '../reasons.js';
import { secondFactorAttempt } from './attempt-limits.js';

/** What somebody shows as a second factor, as the protos have it. */
export type SecondFactor =
  | { readonly $case: 'code'; readonly value: string }
  | { readonly $case: 'recoveryCode'; readonly value: string }
  | undefined;

/** Where a user's two-factor secret is sealed for. */
export function secretPlace(userId: string): string {
  return `totp ${userId}`;
}

/** Where a user's recovery codes are hashed for. */
export function recoveryPlace(userId: string): string {
  return `recovery ${userId}`;
}

/** Accept a second factor and use it up. Throws INVALID_CREDENTIALS, also when there were too many tries. */
export async function useSecondFactor(
  context: IdentityContext,
  user: UserDocument,
  proof: SecondFactor,
): Promise<'code' | 'recovery_code'> {
  const { isTooMany, forgive } = await secondFactorAttempt(context, user._id);
  const used = isTooMany ? null : await tryFactor(context, user, proof);
  if (!used) throw fail('INVALID_CREDENTIALS', 'these credentials are not right');
  await forgive();
  return used;
}

async function tryFactor({ box, clock, twoFactor }: IdentityContext, user: UserDocument, proof: SecondFactor) {
  if (!user.twoFactor || !proof) return null;
  if (proof.$case === 'code') {
    const secret = box.open(user.twoFactor.secret, secretPlace(user._id));
    const step = matchTotpStep(secret, proof.value, clock());
    return step !== null && (await twoFactor.useStep(user._id, user.twoFactor.secret, step)) ? 'code' : null;
  }
  const plain = plainRecoveryCode(proof.value);
  const hash = plain === null ? null : box.hashCode(plain, recoveryPlace(user._id));
  return hash !== null && (await twoFactor.useRecoveryCode(user._id, hash)) ? 'recovery_code' : null;
}
