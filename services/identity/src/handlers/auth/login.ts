import { randomUUID } from 'node:crypto';
import type { CallContext, Handler } from '@panel/rpc';
import type { AuthServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import { passwordAttempt } from '../../domain/attempt-limits.js';
import { givenPassword, lineOfText, parseFields } from '../../domain/fields.js';
import { normaliseEmail } from '../../domain/normalise.js';
import { record } from '../../domain/record.js';
import { openSession } from '../../domain/sign-in.js';
import type { UserDocument } from '../../models/user.js';
import { presentTokens } from '../../present.js';
import { fail } from '../../reasons.js';

const challengeTtlMs = 5 * 60_000;

export function login(context: IdentityContext): Handler<typeof AuthServiceService.login> {
  return async (request, call) => {
    const given = parseFields({ email: lineOfText(1, 254), password: givenPassword }, request);
    const user = await checkPassword(context, normaliseEmail(given.email), given.password, call);
    if (user.twoFactor) return { result: { $case: 'challenge', value: { token: await challenge(context, user) } } };
    const pair = await openSession(context, user, { actor: call.actor, userAgent: request.userAgent });
    return { result: { $case: 'tokens', value: presentTokens(pair) } };
  };
}

/** The user with this e-mail and password. Throws INVALID_CREDENTIALS after the same time and work for any miss. */
async function checkPassword(
  context: IdentityContext,
  email: string,
  password: string,
  { actor, signal }: CallContext,
): Promise<UserDocument> {
  const { users, passwords } = context;
  const attempt = await passwordAttempt(context, email);
  const known = await users.findByEmail(email);
  const isShutOut = attempt.isTooMany && !known?.knownIps.includes(actor.ip);
  const stored = isShutOut ? null : (known?.passwordHash ?? null);
  const { isRight, rehashed } = await passwords.verify(stored, password, signal).catch(async (error: unknown) => {
    // Nothing was compared: a busy minute must not shut anybody out.
    await attempt.forgive();
    throw error;
  });
  if (!known || stored === null || !isRight) {
    if (known) record(context, { event: 'auth:fail', actor, userId: known._id });
    throw fail('INVALID_CREDENTIALS', 'these credentials are not right');
  }
  await attempt.forgive();
  if (rehashed !== null) await users.renewHash(known._id, stored, rehashed);
  return known;
}

async function challenge({ challenges, clock, tokens }: IdentityContext, user: UserDocument): Promise<string> {
  const now = clock();
  const id = randomUUID();
  const expiresAt = new Date(now.getTime() + challengeTtlMs);
  await challenges.insert({ _id: id, userId: user._id, epoch: user.sessionEpoch, tries: 0, expiresAt });
  return tokens.issueChallenge(user._id, id, now, challengeTtlMs);
}
