import { randomUUID } from 'node:crypto';
import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';
import type { TokenPair } from '../../crypto/tokens.js';
import { displayableUserAgent } from '../../domain/normalise.js';
import type { ActiveSessions } from '../../domain/session.js';
import type { UserRecord } from '../../domain/user.js';
import { fail } from '../../reasons.js';

export interface ClientInfo {
  readonly actor: Actor;
  readonly userAgent: string;
}

/**
 * The only way to open a session. `user`: read before the first proof; a password or second factor changed since throws
 * INVALID_CREDENTIALS.
 */
export async function openSession(context: IdentityContext, user: UserRecord, client: ClientInfo): Promise<TokenPair> {
  const { activity, clock, sessions, tokens, users } = context;
  const { actor } = client;
  const now = clock();
  const current = await users.recordLogin(user.id, user.sessionEpoch, { ip: actor.ip, now });
  if (!current) throw fail('INVALID_CREDENTIALS', 'these credentials are not right');
  const id = randomUUID();
  const pair = tokens.issuePair(user.id, id, now);
  await sessions.insert({
    id,
    userId: user.id,
    epoch: user.sessionEpoch,
    keyId: tokens.keyId,
    refreshHash: pair.refreshHash,
    rotated: [],
    unconfirmedSince: null,
    ip: actor.ip,
    userAgent: displayableUserAgent(client.userAgent),
    createdAt: now,
    lastUsedAt: now,
    expiresAt: pair.expiresAt,
  });
  await activity.record({ event: 'auth:success', actorId: user.id, userId: user.id }, actor);
  const { sessionsPerUser } = context.policy.current();
  const ended = await sessions.removeOldest(activeSessions(context, current), sessionsPerUser);
  if (ended > 0) await context.epochs.bump(user.id);
  return pair;
}

/** Filter of the sessions active now. */
export function activeSessions(context: IdentityContext, user: UserRecord): ActiveSessions {
  const { id: userId, sessionEpoch, retainedSessionId } = user;
  return { userId, sessionEpoch, retainedSessionId, keyId: context.tokens.keyId, now: context.clock() };
}

/** After a change that ended sessions: bumps epochs, removes the sessions. */
export async function purgeEndedSessions(context: IdentityContext, user: UserRecord): Promise<void> {
  await context.epochs.bump(user.id);
  await context.sessions.removeEnded(user.id, user.sessionEpoch, user.retainedSessionId);
}
