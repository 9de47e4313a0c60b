/** Public key for SFTP. */
export interface SshKeyRecord {
  readonly id: string;
  readonly userId: string;
  /** 1 to `maxSshKeys`; unique per user: the limit holds under concurrency. */
  readonly slot: number;
  readonly name: string;
  readonly algorithm: string;
  /** Unique per user. */
  readonly fingerprint: string;
  readonly publicKey: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** Per user. */
export const maxSshKeys = 25;
