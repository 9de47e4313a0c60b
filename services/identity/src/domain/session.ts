import type { UserRecord } from './user.js';

/** One sign-in: a family of refresh tokens of which only the youngest is valid. */
export interface SessionRecord {
  readonly id: string;
  readonly userId: string;
  /** The user's `sessionEpoch` when it was opened. */
  readonly epoch: number;
  /** Names the JWT_SECRET its tokens are signed with. */
  readonly keyId: string;
  /** Hash of the id of the valid refresh token. */
  readonly refreshHash: string;
  /** The last rotations, oldest first, to distinguish a double click from a theft. */
  readonly rotated: readonly { readonly hash: string; readonly at: Date }[];
  /** Set with a rotation and cleared once its answer was sent: the client may never have received the new tokens. */
  readonly unconfirmedSince: Date | null;
  readonly ip: string;
  readonly userAgent: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

/** Whose sessions, and what makes one of them active now. */
export interface ActiveSessions {
  readonly userId: string;
  readonly sessionEpoch: number;
  readonly keptSessionId: string | null;
  readonly keyId: string;
  readonly now: Date;
}

/** Whether a session is active: not expired, signed with the current secret, not ended by a change of its user. */
export function isSessionActive(session: SessionRecord, user: UserRecord, keyId: string, now: Date): boolean {
  const isOfThisEpoch = session.epoch === user.sessionEpoch || session.id === user.keptSessionId;
  return isOfThisEpoch && session.userId === user.id && session.keyId === keyId && session.expiresAt > now;
}

/** Use of a session or key is recorded at most this often, beside the request: a list needs no more. */
export const touchIntervalMs = 60_000;

/** Whether the last recorded use is so old that a new one is recorded. */
export function isTouchDue(lastUsedAt: Date | null, now: Date): boolean {
  return lastUsedAt === null || now.getTime() - lastUsedAt.getTime() > touchIntervalMs;
}
