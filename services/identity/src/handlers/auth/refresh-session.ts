import type { CallContext, Handler } from '@panel/rpc';
import type { AuthServiceService } from '@panel/protos/identity';
import type { IdentityContext } from '../../context.js';
import type { TokenPair } from '../../crypto/tokens.js';
import { displayableUserAgent } from '../../domain/normalise.js';
import { isSessionAlive } from '../../domain/sign-in.js';
import { record } from '../../domain/record.js';
import type { SessionDocument } from '../../models/session.js';
import { presentTokens } from '../../present.js';
import { fail } from '../../reasons.js';

/** A rotated token that comes again within this time is a double click or a lost answer, later it is a thief or a victim. */
const graceMs = 10_000;

export function refreshSession(context: IdentityContext): Handler<typeof AuthServiceService.refreshSession> {
  return async (request, call) => {
    const { sub: userId, sid, hash } = context.tokens.readRefresh(request.refreshToken);
    const now = context.clock();
    const [session, user] = await Promise.all([context.sessions.findById(sid), context.users.findById(userId)]);
    if (!session || !user || !isSessionAlive(session, user, context.tokens.keyId, now)) throw invalid();
    // Signed before the rotation, so that nothing can fail between the rotation and the answer.
    const pair = context.tokens.issuePair(userId, sid, now);
    if (session.refreshHash === hash && (await rotate(context, session, pair, { hash, now, call, request })))
      return { tokens: presentTokens(pair) };
    await punishReuse(context, sid, hash, call);
    throw invalid();
  };
}

async function rotate(
  { sessions }: IdentityContext,
  session: SessionDocument,
  pair: TokenPair,
  by: { hash: string; now: Date; call: CallContext; request: { userAgent: string } },
): Promise<boolean> {
  return sessions.rotate({
    id: session._id,
    userId: session.userId,
    from: by.hash,
    to: pair.refreshHash,
    ip: by.call.actor.ip,
    userAgent: displayableUserAgent(by.request.userAgent) || session.userAgent,
    expiresAt: pair.expiresAt,
    now: by.now,
  });
}

/** End the session of a token that was used up, unless its rotation is so fresh that this is the other half of a double click. */
async function punishReuse(
  context: IdentityContext,
  sessionId: string,
  hash: string,
  call: CallContext,
): Promise<void> {
  const session = await context.sessions.findById(sessionId);
  if (!session || session.refreshHash === hash) return;
  const rotatedAt = session.rotated.findLast((rotation) => rotation.hash === hash)?.at;
  if (rotatedAt && context.clock().getTime() - rotatedAt.getTime() <= graceMs) return;
  if (!(await context.sessions.remove(sessionId, session.userId))) return;
  call.log.warn(
    { sessionId, userId: session.userId, ip: call.actor.ip },
    'a used refresh token came again: session ended',
  );
  await context.epochs.changed(session.userId);
  record(context, { event: 'auth:token-reuse', actor: call.actor, userId: session.userId });
}

function invalid() {
  return fail('INVALID_TOKEN', 'the token is not valid');
}
