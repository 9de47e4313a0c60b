/** Login waiting for its second factor. */
export interface ChallengeRecord {
  readonly id: string;
  readonly userId: string;
  /** `sessionEpoch` at the password check: a password change ends challenges. */
  readonly epoch: number;
  readonly attempts: number;
  readonly expiresAt: Date;
}

export const challengeTtlMs = 5 * 60_000;
/** Codes per challenge. */
export const maxChallengeAttempts = 5;
