import { AppError } from '@panel/kit/errors';
import { fail } from '../reasons.js';

/** Unknown errors pass unchanged. */
export async function mapFsErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fromErrno(error);
  }
}

/** Without a host path. */
export function fromErrno(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error) || !('code' in error)) return error;
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ENAMETOOLONG':
      return fail('FILE_NOT_FOUND', 'no such file or directory', {}, { cause: error });
    case 'EACCES':
    case 'EPERM':
      return fail('FILE_INACCESSIBLE', 'the panel is not allowed to touch this file', {}, { cause: error });
    case 'EROFS':
      return fail('FILE_INACCESSIBLE', 'the disk is read-only', {}, { cause: error });
    case 'ETXTBSY':
      return fail(
        'FILE_INACCESSIBLE',
        'a program runs from this file: stop it, or replace the file',
        {},
        { cause: error },
      );
    case 'EFBIG':
      return fail('UPLOAD_TOO_LARGE', 'a file cannot have this length', {}, { cause: error });
    case 'EDQUOT':
      return fail('DISK_LIMIT', "the server's disk limit is reached", {}, { cause: error });
    case 'ENOSPC':
      return fail('DISK_FULL', 'the disk of the node is full', {}, { cause: error });
    case 'EMFILE':
    case 'ENFILE':
      return fail('BUSY', 'too many files are open, try again', {}, { cause: error });
    default:
      return error;
  }
}
