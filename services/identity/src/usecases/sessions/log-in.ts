import { randomUUID } from 'node:crypto';
import type { IdentityContext } from '../../context.js';
import type { TokenPair } from '../../crypto/tokens.js';
import { challengeTtlMs } from '../../domain/challenge.js';
import type { UserRecord } from '../../domain/user.js';
import { fail } from '../../reasons.js';
import { countPasswordAttempt } from '../attempts/attempt-limits.js';
import { type ClientInfo, openSession } from './open-session.js';
import { recordRefusal } from './record-refusal.js';

type LoginResult =
  { readonly kind: 'session'; readonly tokens: TokenPair } | { readonly kind: 'challenge'; readonly token: string };

/** A session, or a challenge for the second factor. Throws INVALID_CREDENTIALS. */
export async function logIn(
  context: IdentityContext,
  credentials: { readonly email: string; readonly password: string },
  client: ClientInfo,
  signal: AbortSignal,
): Promise<LoginResult> {
  const user = await checkPassword(context, credentials, client, signal);
  if (user.twoFactor) return { kind: 'challenge', token: await issueChallenge(context, user) };
  return { kind: 'session', tokens: await openSession(context, user, client) };
}

/** Throws INVALID_CREDENTIALS after equal time for any mismatch. */
async function checkPassword(
  context: IdentityContext,
  { email, password }: { readonly email: string; readonly password: string },
  { actor }: ClientInfo,
  signal: AbortSignal,
): Promise<UserRecord> {
  const { users, passwords } = context;
  const attempt = await countPasswordAttempt(context, email);
  const known = await users.findByEmail(email);
  const isThrottled = attempt.isTooMany && !known?.knownIps.includes(actor.ip);
  const stored = isThrottled ? null : (known?.passwordHash ?? null);
  const { isValid, rehashed } = await passwords.verify(stored, password, signal).catch(async (error: unknown) => {
    // No comparison: load must not lock users out.
    await attempt.refund();
    throw error;
  });
  if (!known || stored === null || !isValid) {
    if (known) recordRefusal(context, { event: 'auth:fail', userId: known.id }, actor);
    throw fail('INVALID_CREDENTIALS', 'these credentials are not right');
  }
  await attempt.refund();
  if (rehashed !== null) await users.renewHash(known.id, stored, rehashed);
  return known;
}

async function issueChallenge({ challenges, clock, tokens }: IdentityContext, user: UserRecord): Promise<string> {
  const now = clock();
  const id = randomUUID();
  const expiresAt = new Date(now.getTime() + challengeTtlMs);
  await challenges.insert({ id, userId: user.id, epoch: user.sessionEpoch, attempts: 0, expiresAt });
  return tokens.issueChallenge(user.id, id, now, challengeTtlMs);
}
