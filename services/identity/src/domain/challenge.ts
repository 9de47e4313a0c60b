/** A login that waits for its second factor. */
export interface ChallengeRecord {
  readonly id: string;
  readonly userId: string;
  /** The user's `sessionEpoch` when the password was checked: a change of password ends challenges too. */
  readonly epoch: number;
  readonly attempts: number;
  readonly expiresAt: Date;
}

export const challengeTtlMs = 5 * 60_000;
/** Codes that can be tried for one challenge. */
export const maxChallengeAttempts = 5;
