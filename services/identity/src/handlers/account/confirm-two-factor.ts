import { type Handler, requireUser } from '@panel/rpc';
import type { AccountServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { makeRecoveryCodes, plainRecoveryCode } from '../../crypto/recovery-codes.js';
import { matchTotpStep } from '../../crypto/totp.js';
import { secondFactorAttempt } from '../../domain/attempt-limits.js';
import { record } from '../../domain/record.js';
import { callerWithRole } from '../../domain/rights.js';
import { recoveryPlace, secretPlace } from '../../domain/second-factor.js';
import type { UserDocument } from '../../models/user.js';
import { fail } from '../../reasons.js';

const setupTtlMs = 30 * 60_000;

export function confirmTwoFactor(context: IdentityContext): Handler<typeof AccountServiceService.confirmTwoFactor> {
  return async ({ code }, { actor }) => {
    const { user } = await callerWithRole(context, requireUser(actor).userId);
    const secret = pendingSecret(user, context.clock());
    const lastStep = await matchStep(context, user, secret, code);
    const recoveryCodes = makeRecoveryCodes();
    const recoveryHashes = recoveryCodes.map((text) =>
      context.box.hashCode(plainRecoveryCode(text) ?? '', recoveryPlace(user._id)),
    );
    const now = context.clock();
    if (!(await context.twoFactor.enable(user._id, { secret, lastStep, recoveryHashes, enabledAt: now }, now)))
      throw fail('TWO_FACTOR_NOT_STARTED', 'the set-up was begun anew or finished at the same moment');
    // Whoever had to set it up may reach everything now.
    await context.epochs.changed(user._id);
    record(context, { event: 'user:two-factor.create', actor, userId: user._id });
    return { recoveryCodes };
  };
}

/** The sealed secret that waits. */
function pendingSecret(user: UserDocument, now: Date): string {
  if (user.twoFactor) throw fail('TWO_FACTOR_ENABLED', 'two-factor authentication is on already');
  const setup = user.twoFactorSetup;
  if (!setup || now.getTime() - setup.startedAt.getTime() > setupTtlMs)
    throw fail('TWO_FACTOR_NOT_STARTED', 'begin the set-up first');
  return setup.secret;
}

async function matchStep(context: IdentityContext, user: UserDocument, secret: string, code: string): Promise<number> {
  const { isTooMany, forgive } = await secondFactorAttempt(context, user._id);
  const plain = context.box.open(secret, secretPlace(user._id));
  const step = isTooMany ? null : matchTotpStep(plain, code, context.clock());
  if (step === null) throw fail('INVALID_CREDENTIALS', 'these credentials are not right');
  await forgive();
  return step;
}
