import { date, id, number, oneOf, orNull, type RecordOf, text, withDefault } from '@panel/kit/records';

export const fileOperationFields = {
  id,
  serverId: id,
  /** A data root. */
  nodeId: id,
  kind: oneOf(['compress', 'decompress', 'pull']),
  state: oneOf(['running', 'completed', 'failed', 'cancelled']),
  /** Result or target, absolute; empty until known. */
  path: text,
  bytesDone: withDefault(number, 0),
  /** 0: unknown. */
  bytesTotal: withDefault(number, 0),
  entriesDone: withDefault(number, 0),
  /** Like links of a compressed directory. */
  entriesSkipped: withDefault(number, 0),
  /** Empty unless failed. */
  errorReason: text,
  errorMessage: text,
  startedAt: date,
  endedAt: orNull(date),
};
export type FileOperation = RecordOf<typeof fileOperationFields>;
export type OperationKind = FileOperation['kind'];
