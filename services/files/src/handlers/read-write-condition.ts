import { invalidFields } from '@panel/kit/errors';
import type { WriteFileStart } from '@panel/protos/files';
import type { WriteCondition } from '../domain/write-condition.js';

/** Throws INVALID_FIELDS. */
export function readWriteCondition({
  ifMatchSha256,
  mustExist,
}: Pick<WriteFileStart, 'ifMatchSha256' | 'mustExist'>): WriteCondition {
  if (!/^([0-9a-f]{64})?$/.test(ifMatchSha256)) {
    throw invalidFields({ if_match_sha256: ['must be a SHA-256 in hex'] });
  }
  return { ifMatchSha256, mustExist: mustExist ?? false };
}
