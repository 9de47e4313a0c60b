import type { TokenClaims } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { TokenPair } from '../../crypto/tokens.js';
import { displayableUserAgent } from '../../domain/normalise.js';
import { isSessionActive, type SessionRecord } from '../../domain/session.js';
import { fail } from '../../reasons.js';
import type { ClientInfo } from './open-session.js';

/** Reuse of a rotated token within this time is a double use or a lost response; later, a theft. */
const graceMs = 10_000;

/** A rotation unconfirmed for longer was interrupted: the client lacks its tokens. */
const lostAfterMs = 2_000;

interface RefreshRequest {
  readonly refreshToken: string;
  /** A token rotated within the grace period returns its unused successor. */
  readonly repeatsRecent: boolean;
}

/** Repeats an interrupted rotation for the replaced token: a crash must not end sessions. Throws INVALID_TOKEN. */
export async function refreshSession(
  context: IdentityContext,
  { refreshToken, repeatsRecent }: RefreshRequest,
  client: ClientInfo,
): Promise<TokenPair> {
  const now = context.clock();
  const claims = context.tokens.readRefresh(refreshToken, now);
  const { sub: userId, sid, hash } = claims;
  const [session, user] = await Promise.all([context.sessions.findById(sid), context.users.findById(userId)]);
  if (!session || !user || !isSessionActive(session, user, context.tokens.keyId, now)) throw invalidToken();
  // Signed before the rotation: nothing can fail after it.
  const pair = context.tokens.issueSuccessor(claims, now);
  if (session.refreshHash === hash && (await rotate(context, session, pair, { hash, now, client }))) {
    confirmRotation(context, sid, pair);
    return pair;
  }
  // After a lost race the session has changed.
  const current = session.refreshHash === hash ? await context.sessions.findById(sid) : session;
  const repeated = current && unusedSuccessor(context, current, claims, { now, repeatsRecent });
  if (repeated) {
    confirmRotation(context, sid, repeated);
    return repeated;
  }
  await revokeOnReuse(context, sid, hash, client);
  throw invalidToken();
}

/** Outside of the request, after the response. */
function confirmRotation({ sessions, tasks }: IdentityContext, sessionId: string, pair: TokenPair): void {
  tasks.run('confirm rotation', async () => sessions.confirmRotation(sessionId, pair.refreshHash));
}

/** Unused successor from the last rotation, if interrupted, or recent and repeatable; else null. */
function unusedSuccessor(
  { tokens }: IdentityContext,
  { rotated, unconfirmedSince, refreshHash }: SessionRecord,
  claims: Pick<TokenClaims, 'sub' | 'sid' | 'jti'> & { readonly hash: string },
  { now, repeatsRecent }: { readonly now: Date; readonly repeatsRecent: boolean },
): TokenPair | null {
  const last = rotated.at(-1);
  if (last?.hash !== claims.hash) return null;
  const ageMs = now.getTime() - last.at.getTime();
  const isLost = unconfirmedSince !== null && ageMs >= lostAfterMs;
  if (!isLost && !(repeatsRecent && ageMs <= graceMs)) return null;
  const pair = tokens.issueSuccessor(claims, last.at);
  return pair.refreshHash === refreshHash ? pair : null;
}

async function rotate(
  { sessions }: IdentityContext,
  session: SessionRecord,
  pair: TokenPair,
  { hash, now, client }: { hash: string; now: Date; client: ClientInfo },
): Promise<boolean> {
  return sessions.rotate({
    id: session.id,
    userId: session.userId,
    from: hash,
    to: pair.refreshHash,
    ip: client.actor.ip,
    userAgent: displayableUserAgent(client.userAgent) || session.userAgent,
    expiresAt: pair.expiresAt,
    now,
  });
}

/** Ends the session on reuse after the grace period. */
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
  await context.activity.record({ event: 'auth:token-reuse', userId: session.userId }, actor);
}

function invalidToken() {
  return fail('INVALID_TOKEN', 'the token is not valid');
}
