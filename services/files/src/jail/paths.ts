import { lstat, readdir } from 'node:fs/promises';
import { isErrno } from '@panel/kit/errors';

/* For the service's own directories; `node.ts` resolves names in volumes. */

/** Null on ENOENT. */
export async function ifExists<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

/** True for a dangling link. */
export async function exists(path: string | Buffer): Promise<boolean> {
  return (await ifExists(async () => lstat(path))) !== null;
}

/** Empty when missing or no directory. */
export async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
