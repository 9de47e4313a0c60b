import { flag, type RecordOf, text } from '@panel/kit/records';

export const writeConditionFields = {
  /** SHA-256 in hex of the replaceable content; empty: any. */
  ifMatchSha256: text,
  mustExist: flag,
};
/** Precondition of a replacement. */
export type WriteCondition = RecordOf<typeof writeConditionFields>;

/** Of a replacement of anything, and of a creation. */
export const noCondition: WriteCondition = { ifMatchSha256: '', mustExist: false };

export function hasCondition({ ifMatchSha256, mustExist }: WriteCondition): boolean {
  return mustExist || ifMatchSha256 !== '';
}
