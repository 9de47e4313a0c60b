import { date, flag, id, number, type RecordOf } from '@panel/kit/records';

export const trashFields = {
  id,
  serverId: id,
  /** A data root. */
  nodeId: id,
  /** Absolute inside the server. */
  path: id,
  isDirectory: flag,
  /** On disk. */
  sizeBytes: number,
  deletedAt: date,
};
export type TrashEntry = RecordOf<typeof trashFields>;
