import { isOutOfMemory, type ThreadFailure, threadFailureOf } from '@panel/kit/threads';
import { fromErrno } from '../jail/errno.js';
import { fail } from '../reasons.js';

/** Errors of the file system have their reasons. */
export function failureOf(error: unknown): ThreadFailure {
  const isTooLarge = isOutOfMemory(error);
  return threadFailureOf(isTooLarge ? fail('TREE_UNSUPPORTED', 'a directory holds too many names') : fromErrno(error));
}
