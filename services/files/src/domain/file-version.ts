import { date, id, number, type RecordOf } from '@panel/kit/records';

export const fileVersionFields = {
  id,
  serverId: id,
  /** A data root. */
  nodeId: id,
  /** Absolute inside the server. */
  path: id,
  sizeBytes: number,
  /** SHA-256 in hex. */
  sha256: id,
  /** Time of its replacement. */
  savedAt: date,
};
export type FileVersion = RecordOf<typeof fileVersionFields>;

/** Larger files have no history. */
export const maxVersionBytes = 1024 * 1024;
export const maxVersionsPerFile = 10;
