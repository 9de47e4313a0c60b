import type { UserRecord } from './user.js';

/** One sign-in: a family of refresh tokens, only the latest valid. */
export interface SessionRecord {
  readonly id: string;
  readonly userId: string;
  /** `sessionEpoch` at its start. */
  readonly epoch: number;
  /** Identifies the JWT_SECRET of its tokens. */
  readonly keyId: string;
  /** Of the valid refresh token's id. */
  readonly refreshHash: string;
  /** Oldest first; distinguishes double use from theft. */
  readonly rotated: readonly { readonly hash: string; readonly at: Date }[];
  /** Set at rotation, cleared after the response: the client may lack the new tokens. */
  readonly unconfirmedSince: Date | null;
  readonly ip: string;
  readonly userAgent: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

/** Filter of a user's active sessions. */
export interface ActiveSessions {
  readonly userId: string;
  readonly sessionEpoch: number;
  readonly keptSessionId: string | null;
  readonly keyId: string;
  readonly now: Date;
}

/** Not expired, current secret, not ended by a change of its user. */
export function isSessionActive(session: SessionRecord, user: UserRecord, keyId: string, now: Date): boolean {
  const isOfThisEpoch = session.epoch === user.sessionEpoch || session.id === user.keptSessionId;
  return isOfThisEpoch && session.userId === user.id && session.keyId === keyId && session.expiresAt > now;
}

/** Bounds the writes of last uses, which only lists show. */
export const touchIntervalMs = 60_000;

export function isTouchDue(lastUsedAt: Date | null, now: Date): boolean {
  return lastUsedAt === null || now.getTime() - lastUsedAt.getTime() > touchIntervalMs;
}
