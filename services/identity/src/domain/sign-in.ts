import { randomUUID } from 'node:crypto';
import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../context.js';
import type { TokenPair } from '../crypto/tokens.js';
import type { SessionDocument } from '../models/session.js';
import type { UserDocument } from '../models/user.js';
import { fail } from '../reasons.js';
import { displayableUserAgent } from './normalise.js';
import { entryOf } from './record.js';

export interface Visitor {
  readonly actor: Actor;
  readonly userAgent: string;
}

/**
 * The one way to a session, whatever proved who it is. `user` is as it was when the first proof was looked at: if its
 * password or second factor has changed since, INVALID_CREDENTIALS.
 */
export async function openSession(context: IdentityContext, user: UserDocument, visitor: Visitor): Promise<TokenPair> {
  const { clock, sessions, tokens, users } = context;
  const { actor } = visitor;
  const now = clock();
  const event = { event: 'auth:success', actor, actorId: user._id, userId: user._id };
  const login = { ip: actor.ip, now, news: context.news && entryOf(context, event) };
  const current = await users.recordLogin(user._id, user.sessionEpoch, login);
  if (!current) throw fail('INVALID_CREDENTIALS', 'these credentials are not right');
  const id = randomUUID();
  const pair = tokens.issuePair(user._id, id, now);
  await sessions.insert({
    _id: id,
    userId: user._id,
    epoch: user.sessionEpoch,
    keyId: tokens.keyId,
    refreshHash: pair.refreshHash,
    rotated: [],
    ip: actor.ip,
    userAgent: displayableUserAgent(visitor.userAgent),
    createdAt: now,
    lastUsedAt: now,
    expiresAt: pair.expiresAt,
  });
  const { sessionsPerUser } = context.policy.current();
  const ended = await sessions.removeOldest(livingSessions(context, current), sessionsPerUser);
  if (ended > 0) await context.epochs.changed(user._id);
  return pair;
}

/** Which sessions of a user are alive now. */
export function livingSessions(context: IdentityContext, user: UserDocument) {
  const { _id: userId, sessionEpoch, keptSessionId } = user;
  return { userId, sessionEpoch, keptSessionId, keyId: context.tokens.keyId, now: context.clock() };
}

/** Whether a session is alive: not expired, signed with today's secret, not ended by a change of its user. */
export function isSessionAlive(session: SessionDocument, user: UserDocument, keyId: string, now: Date): boolean {
  const isOfThisEpoch = session.epoch === user.sessionEpoch || session._id === user.keptSessionId;
  return isOfThisEpoch && session.userId === user._id && session.keyId === keyId && session.expiresAt > now;
}

/** After a change that ended sessions: clear them away and tell the gateways. */
export async function sweepSessions(context: IdentityContext, user: UserDocument): Promise<void> {
  await context.epochs.changed(user._id);
  await context.sessions.removeEnded(user._id, user.sessionEpoch, user.keptSessionId);
}
