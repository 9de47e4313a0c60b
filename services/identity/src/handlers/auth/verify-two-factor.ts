import type { Handler, TokenClaims } from '@panel/rpc';
import { isAppError } from '@panel/kit';
import type { AuthServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { record } from '../../domain/record.js';
import { useSecondFactor } from '../../domain/second-factor.js';
import { openSession } from '../../domain/sign-in.js';
import type { UserDocument } from '../../models/user.js';
import { presentTokens } from '../../present.js';
import { fail } from '../../reasons.js';

const maxTries = 5;

export function verifyTwoFactor(context: IdentityContext): Handler<typeof AuthServiceService.verifyTwoFactor> {
  return async ({ token, proof, userAgent }, { actor }) => {
    const { sid, sub } = claimsOf(context, token);
    const user = await takeTry(context, sid, sub);
    const used = await useSecondFactor(context, user, proof).catch((error: unknown) => {
      record(context, { event: 'auth:checkpoint-fail', actor, userId: user._id });
      throw error;
    });
    // Of two right answers at once, one opens a session.
    if (!(await context.challenges.consume(sid))) throw refused();
    const pair = await openSession(context, user, { actor, userAgent });
    if (used === 'recovery_code')
      record(context, { event: 'auth:recovery-code', actor, actorId: user._id, userId: user._id });
    return { tokens: presentTokens(pair) };
  };
}

function claimsOf({ tokens }: IdentityContext, token: string): TokenClaims {
  try {
    return tokens.readChallenge(token);
  } catch (error) {
    if (isAppError(error, 'INVALID_TOKEN')) throw refused(error);
    throw error;
  }
}

/** The user of a challenge that is alive and has a try left, which is taken. */
async function takeTry(
  { challenges, clock, users }: IdentityContext,
  challengeId: string,
  userId: string,
): Promise<UserDocument> {
  const challenge = await challenges.takeTry(challengeId, userId, maxTries, clock());
  const user = challenge ? await users.findById(userId) : null;
  if (!user || user.sessionEpoch !== challenge?.epoch) throw refused();
  return user;
}

function refused(cause?: unknown) {
  return fail('INVALID_CREDENTIALS', 'these credentials are not right', {}, { cause });
}
