import { date, id, listOf, number, orNull, part, type RecordOf, text } from '@panel/kit/records';
import type { UserRecord } from './user.js';

/** One sign-in: a family of refresh tokens, only the latest valid. */
export const sessionFields = {
  id,
  userId: id,
  /** `sessionEpoch` at its start. */
  epoch: number,
  /** Identifies the JWT_SECRET of its tokens. */
  keyId: id,
  /** Of the valid refresh token's id. */
  refreshHash: id,
  /** Oldest first; distinguishes double use from theft. */
  rotated: listOf(part({ hash: id, at: date })),
  /** Set at rotation, cleared after the response: the client may lack the new tokens. */
  unconfirmedSince: orNull(date),
  ip: id,
  userAgent: text,
  createdAt: date,
  lastUsedAt: date,
  expiresAt: date,
};
export type SessionRecord = RecordOf<typeof sessionFields>;

/** Filter of a user's active sessions. */
export interface ActiveSessions {
  readonly userId: string;
  readonly sessionEpoch: number;
  readonly retainedSessionId: string | null;
  readonly keyId: string;
  readonly now: Date;
}

/** Not expired, current secret, not ended by a change of its user. */
export function isSessionActive(session: SessionRecord, user: UserRecord, keyId: string, now: Date): boolean {
  const isOfThisEpoch = session.epoch === user.sessionEpoch || session.id === user.retainedSessionId;
  return isOfThisEpoch && session.userId === user.id && session.keyId === keyId && session.expiresAt > now;
}

/** Bounds the writes of last uses, which only lists show. */
export const touchIntervalMs = 60_000;

export function isTouchDue(lastUsedAt: Date | null, now: Date): boolean {
  return lastUsedAt === null || now.getTime() - lastUsedAt.getTime() > touchIntervalMs;
}
