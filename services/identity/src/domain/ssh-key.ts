import { date, id, number, orNull, type RecordOf } from '@panel/kit/records';

/** Public key for SFTP. */
export const sshKeyFields = {
  id,
  userId: id,
  /** 1 to `maxSshKeys`; unique per user: the limit holds under concurrency. */
  slot: number,
  name: id,
  algorithm: id,
  /** Unique per user. */
  fingerprint: id,
  publicKey: id,
  createdAt: date,
  lastUsedAt: orNull(date),
};
export type SshKeyRecord = RecordOf<typeof sshKeyFields>;

/** Per user. */
export const maxSshKeys = 25;
