import type { IdentityContext } from '../../context.js';
import { plainRecoveryCode } from '../../crypto/recovery-codes.js';
import { matchTotpStep } from '../../crypto/totp.js';
import type { UserRecord } from '../../domain/user.js';
import { fail } from '../../reasons.js';
import { countSecondFactorAttempt } from '../attempts/attempt-limits.js';

export type SecondFactor = { readonly kind: 'code' | 'recoveryCode'; readonly value: string } | undefined;

/** Additional authenticated data of the two-factor secret. */
export function totpAad(userId: string): string {
  return `totp ${userId}`;
}

/** Additional authenticated data of recovery code hashes. */
export function recoveryAad(userId: string): string {
  return `recovery ${userId}`;
}

/** Consumes it. Throws INVALID_CREDENTIALS, also after too many attempts. */
export async function verifySecondFactor(
  context: IdentityContext,
  user: UserRecord,
  proof: SecondFactor,
): Promise<'code' | 'recovery_code'> {
  if (!user.twoFactor || !proof) throw refused();
  const { secret } = user.twoFactor;
  const isValid =
    proof.kind === 'code'
      ? await useCode(context, user.id, secret, proof.value)
      : await useRecoveryCode(context, user.id, proof.value);
  if (!isValid) throw refused();
  return proof.kind === 'code' ? 'code' : 'recovery_code';
}

/** Six digits are guessable: attempts count per account, over all challenges. */
async function useCode(context: IdentityContext, userId: string, sealed: string, code: string): Promise<boolean> {
  const { isTooMany, refund } = await countSecondFactorAttempt(context, userId);
  if (isTooMany) return false;
  const step = matchTotpStep(context.box.open(sealed, totpAad(userId)), code, context.systemClock());
  if (step === null || !(await context.twoFactor.useStep(userId, sealed, step))) return false;
  await refund();
  return true;
}

/** 80 bits are not guessable: recovery codes work during an attack on codes. */
async function useRecoveryCode({ box, twoFactor }: IdentityContext, userId: string, text: string): Promise<boolean> {
  const plain = plainRecoveryCode(text);
  return plain !== null && twoFactor.useRecoveryCode(userId, box.hashCode(plain, recoveryAad(userId)));
}

function refused() {
  return fail('INVALID_CREDENTIALS', 'these credentials are not right');
}
