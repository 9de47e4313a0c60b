import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { UserActor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import { generateRecoveryCodes, plainRecoveryCode } from '../../crypto/recovery-codes.js';
import { matchTotpStep } from '../../crypto/totp.js';
import type { UserRecord } from '../../domain/user.js';
import { fail } from '../../reasons.js';
import { countSecondFactorAttempt, requireAttempt } from '../attempts/attempt-limits.js';
import { loadCaller } from '../authorization/authorization.js';
import { purgeEndedSessions } from '../sessions/open-session.js';
import { recoveryAad, totpAad } from './verify-second-factor.js';

const setupTtlMs = 30 * 60_000;

/**
 * Ends all other sessions, returns the recovery codes. Throws TWO_FACTOR_NOT_STARTED, TWO_FACTOR_ENABLED,
 * INVALID_FIELDS.
 */
export async function confirmTwoFactor(context: IdentityContext, actor: UserActor, code: string): Promise<string[]> {
  const { user } = await loadCaller(context, actor.userId);
  const secret = pendingSecret(user, context.clock());
  const lastStep = await matchStep(context, user, secret, code);
  const recoveryCodes = generateRecoveryCodes();
  const recoveryHashes = recoveryCodes.map((text) =>
    context.box.hashCode(plainRecoveryCode(text) ?? '', recoveryAad(user.id)),
  );
  const now = context.clock();
  const keepSessionId = actor.method === 'session' ? actor.credentialId : null;
  const twoFactor = { secret, lastStep, recoveryHashes, enabledAt: now };
  const updated = await context.twoFactor.enable(user.id, twoFactor, keepSessionId, now);
  if (!updated) throw fail('TWO_FACTOR_NOT_STARTED', 'the set-up was restarted or finished at the same moment');
  // Password-only sessions end. The bump lifts the restriction of a required setup.
  await purgeEndedSessions(context, updated);
  await context.activity.record({ event: 'user:two-factor.create', userId: user.id }, actor);
  return recoveryCodes;
}

/** Sealed pending secret. */
function pendingSecret(user: UserRecord, now: Date): string {
  if (user.twoFactor) throw fail('TWO_FACTOR_ENABLED', 'two-factor authentication is on already');
  const setup = user.twoFactorSetup;
  if (!setup || now.getTime() - setup.startedAt.getTime() > setupTtlMs)
    throw fail('TWO_FACTOR_NOT_STARTED', 'start the set-up first');
  return setup.secret;
}

async function matchStep(context: IdentityContext, user: UserRecord, secret: string, code: string): Promise<number> {
  const attempt = await countSecondFactorAttempt(context, user.id);
  requireAttempt(context, attempt);
  const step = matchTotpStep(context.box.open(secret, totpAad(user.id)), code, context.systemClock());
  if (step === null)
    throw invalidFields({ code: [fieldProblem('wrong', 'is not the current code of your authenticator app')] });
  await attempt.refund();
  return step;
}
