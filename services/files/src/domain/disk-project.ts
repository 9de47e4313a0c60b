import { flag, id, number, orNull, type RecordOf } from '@panel/kit/records';

/** Project quota (ext4, XFS). */
export const diskProjectFields = {
  /** Unique in this database. */
  id: number,
  serverId: id,
  /** 0: unlimited; null: not yet known. */
  limitBytes: orNull(number),
  isComplete: flag,
};
export type DiskProject = RecordOf<typeof diskProjectFields>;

/** 0: unlimited. */
export function isDiskLimit(bytes: number): boolean {
  return Number.isSafeInteger(bytes) && bytes >= 0;
}
