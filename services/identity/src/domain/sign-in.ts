import { randomUUID } from 'node:crypto';
import type { IdentityContext } from '../context.js';
import type { TokenPair } from '../crypto/tokens.js';
import type { SessionDocument } from '../models/session.js';
import type { UserDocument } from '../models/user.js';
import { displayableUserAgent } from './normalise.js';

/** Sessions a user may have at once; the oldest ends. */
export const defaultSessionsPerUser = 50;

export interface Visitor {
  readonly ip: string;
  readonly userAgent: string;
}

/** The one way to a session, whatever proved who it is. `user` is as it was when that proof was accepted. */
export async function openSession(context: IdentityContext, user: UserDocument, visitor: Visitor): Promise<TokenPair> {
  const { clock, sessions, tokens } = context;
  const now = clock();
  const id = randomUUID();
  const pair = tokens.issuePair(user._id, id, now);
  await sessions.insert({
    _id: id,
    userId: user._id,
    epoch: user.sessionEpoch,
    keyId: tokens.keyId,
    refreshHash: pair.refreshHash,
    rotated: [],
    ip: visitor.ip,
    userAgent: displayableUserAgent(visitor.userAgent),
    createdAt: now,
    lastUsedAt: now,
    expiresAt: pair.expiresAt,
  });
  const ended = await sessions.removeOldest(livingSessions(context, user), defaultSessionsPerUser);
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
