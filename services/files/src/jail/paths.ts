import { lstat, readdir } from 'node:fs/promises';
import { isErrno } from '@panel/kit/errors';

/*
 * What may be missing, in directories of our own. Names of a volume are looked up in open directories instead (`node.ts`).
 */

/** The result of `work`, or null when what it looks for is missing (ENOENT). */
export async function ifExists<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Whether there is an entry of this name; a symbolic link counts as itself. */
export async function exists(path: string | Buffer): Promise<boolean> {
  return (await ifExists(async () => lstat(path))) !== null;
}

/** The names in a directory; none when it is missing, or no directory. */
export async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
