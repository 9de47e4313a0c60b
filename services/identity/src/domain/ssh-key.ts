/** A public key a user signs in to SFTP with. */
export interface SshKeyRecord {
  readonly id: string;
  readonly userId: string;
  /** 1 to `maxSshKeys`; unique with the user, so that the limit holds under concurrency. */
  readonly slot: number;
  readonly name: string;
  readonly algorithm: string;
  /** Unique with the user. */
  readonly fingerprint: string;
  readonly publicKey: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** Keys of one user. */
export const maxSshKeys = 25;
