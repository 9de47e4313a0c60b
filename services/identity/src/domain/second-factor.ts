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
  if (!user.twoFactor || !proof) throw refused();
  const { secret } = user.twoFactor;
  const isRight =
    proof.$case === 'code'
      ? await useCode(context, user._id, secret, proof.value)
      : await useRecoveryCode(context, user._id, proof.value);
  if (!isRight) throw refused();
  return proof.$case === 'code' ? 'code' : 'recovery_code';
}

/** Six digits can be guessed, so the tries of an account are counted over all its challenges. */
async function useCode(context: IdentityContext, userId: string, sealed: string, code: string): Promise<boolean> {
  const { isTooMany, forgive } = await secondFactorAttempt(context, userId);
  if (isTooMany) return false;
  const step = matchTotpStep(context.box.open(sealed, secretPlace(userId)), code, context.clock());
  if (step === null || !(await context.twoFactor.useStep(userId, sealed, step))) return false;
  await forgive();
  return true;
}

/** 80 bits cannot be guessed: this way stays open to the owner while somebody else tries codes. */
async function useRecoveryCode({ box, twoFactor }: IdentityContext, userId: string, text: string): Promise<boolean> {
  const plain = plainRecoveryCode(text);
  return plain !== null && twoFactor.useRecoveryCode(userId, box.hashCode(plain, recoveryPlace(userId)));
}

function refused() {
  return fail('INVALID_CREDENTIALS', 'these credentials are not right');
}
