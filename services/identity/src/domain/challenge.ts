import { date, id, number, type RecordOf } from '@panel/kit/records';

/** Login waiting for its second factor. */
export const challengeFields = {
  id,
  userId: id,
  /** `sessionEpoch` at the password check: a password change ends challenges. */
  epoch: number,
  attempts: number,
  expiresAt: date,
};
export type ChallengeRecord = RecordOf<typeof challengeFields>;

export const challengeTtlMs = 5 * 60_000;
/** Codes per challenge. */
export const maxChallengeAttempts = 5;
