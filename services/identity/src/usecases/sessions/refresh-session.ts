import type { IdentityContext } from '../../context.js';
import type { TokenPair } from '../../crypto/tokens.js';
import { displayableUserAgent } from '../../domain/normalise.js';
import { isSessionActive, type SessionRecord } from '../../domain/session.js';
import { fail } from '../../reasons.js';
import { recordActivity } from '../activity/record-activity.js';
import type { ClientInfo } from './open-session.js';

/** A rotated token that is used again within this time is a double click or a lost answer; later it is a theft. */
const graceMs = 10_000;

/** Rotate a refresh token. Throws INVALID_TOKEN. */
export async function refreshSession(
  context: IdentityContext,
  refreshToken: string,
  client: ClientInfo,
): Promise<TokenPair> {
  const { sub: userId, sid, hash } = context.tokens.readRefresh(refreshToken);
  const now = context.clock();
  const [session, user] = await Promise.all([context.sessions.findById(sid), context.users.findById(userId)]);
  if (!session || !user || !isSessionActive(session, user, context.tokens.keyId, now)) throw invalidToken();
  // Signed before the rotation, so that nothing can fail between the rotation and the answer.
  const pair = context.tokens.issuePair(userId, sid, now);
  if (session.refreshHash === hash && (await rotate(context, session, pair, { hash, now, client }))) return pair;
  await revokeOnReuse(context, sid, hash, client);
  throw invalidToken();
}

async function rotate(
  { sessions }: IdentityContext,
  session: SessionRecord,
  pair: TokenPair,
  { hash, now, client }: { hash: string; now: Date; client: ClientInfo },
): Promise<boolean> {
  return sessions.rotate({
    id: session._id,
    userId: session.userId,
    from: hash,
    to: pair.refreshHash,
    ip: client.actor.ip,
    userAgent: displayableUserAgent(client.userAgent) || session.userAgent,
    expiresAt: pair.expiresAt,
    now,
  });
}

/** End the session of a token that was rotated before, unless its rotation is so recent that this is a double click. */
async function revokeOnReuse(
  context: IdentityContext,
  sessionId: string,
  hash: string,
  { actor }: ClientInfo,
): Promise<void> {
  const session = await context.sessions.findById(sessionId);
  if (!session || session.refreshHash === hash) return;
  const rotatedAt = session.rotated.findLast((rotation) => rotation.hash === hash)?.at;
  if (rotatedAt && context.clock().getTime() - rotatedAt.getTime() <= graceMs) return;
  if (!(await context.sessions.remove(sessionId, session.userId))) return;
  context.log.warn(
    { sessionId, userId: session.userId, ip: actor.ip },
    'a rotated refresh token was used again: session ended',
  );
  await context.epochs.bump(session.userId);
  recordActivity(context, { event: 'auth:token-reuse', actor, userId: session.userId });
}

function invalidToken() {
  return fail('INVALID_TOKEN', 'the token is not valid');
}
