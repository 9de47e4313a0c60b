import { stat } from 'node:fs/promises';
import { isErrno } from '@panel/kit/errors';
import { fail } from '../reasons.js';

/** A directory on the disk that it was on at the start: an unmounted disk leaves an empty directory of the same name. */
interface BoundDirectory {
  /** Throws DATA_ROOT_GONE. */
  assertSame(): Promise<void>;
}

/** `name` for messages, which customers may see. Throws the errors of stat(2). */
export async function bindDirectory(directory: string, name: string): Promise<BoundDirectory> {
  const first = await identityOf(directory);
  return {
    assertSame: async () => {
      if ((await identityOf(directory)) === first) return;
      throw fail('DATA_ROOT_GONE', `${name} is no longer the one of the start: is its disk mounted?`);
    },
  };
}

async function identityOf(directory: string): Promise<string> {
  try {
    const { dev, ino } = await stat(directory, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return 'missing';
    throw error;
  }
}
