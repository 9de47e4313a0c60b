import { isAppError } from '@panel/kit/errors';
import type { TokenClaims } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { TokenPair } from '../../crypto/tokens.js';
import { maxChallengeAttempts } from '../../domain/challenge.js';
import type { UserRecord } from '../../domain/user.js';
import { fail } from '../../reasons.js';
import { type SecondFactor, verifySecondFactor } from '../two-factor/verify-second-factor.js';
import { type ClientInfo, openSession } from './open-session.js';

/** Throws INVALID_CREDENTIALS (wrong code), CHALLENGE_ENDED. */
export async function answerChallenge(
  context: IdentityContext,
  token: string,
  proof: SecondFactor,
  client: ClientInfo,
): Promise<TokenPair> {
  const { actor } = client;
  const { sid, sub } = claimsOf(context, token);
  const user = await takeAttempt(context, sid, sub);
  const used = await verifySecondFactor(context, user, proof).catch(async (error: unknown) => {
    await context.activity.record({ event: 'auth:checkpoint-fail', userId: user.id }, actor);
    throw error;
  });
  // One of concurrent valid responses opens a session.
  if (!(await context.challenges.consume(sid))) throw challengeEnded();
  const pair = await openSession(context, user, client);
  if (used === 'recovery_code')
    await context.activity.record({ event: 'auth:recovery-code', actorId: user.id, userId: user.id }, actor);
  return pair;
}

function claimsOf({ clock, tokens }: IdentityContext, token: string): TokenClaims {
  try {
    return tokens.readChallenge(token, clock());
  } catch (error) {
    // Forged tokens count as wrong codes, own expired ones as ended challenges.
    if (isAppError(error, 'INVALID_TOKEN')) throw isExpired(error) ? challengeEnded(error) : refused(error);
    throw error;
  }
}

/** Counts the attempt. */
async function takeAttempt(
  { challenges, clock, users }: IdentityContext,
  challengeId: string,
  userId: string,
): Promise<UserRecord> {
  const challenge = await challenges.takeAttempt(challengeId, userId, maxChallengeAttempts, clock());
  const user = challenge ? await users.findById(userId) : null;
  if (!user || user.sessionEpoch !== challenge?.epoch) throw challengeEnded();
  return user;
}

function isExpired({ cause }: Error): boolean {
  return cause instanceof Error && cause.name === 'TokenExpiredError';
}

function refused(cause: unknown) {
  return fail('INVALID_CREDENTIALS', 'these credentials are not right', {}, { cause });
}

/** Disclosed only to the holder of a challenge, after the password. */
function challengeEnded(cause?: unknown) {
  return fail('CHALLENGE_ENDED', 'this challenge is over, sign in again', {}, { cause });
}
