import { lstat, readdir } from 'node:fs/promises';
import { isErrno } from '@panel/kit/errors';

/* For the service's own directories. Names in volumes are resolved in open directories (`node.ts`). */

/** Null on ENOENT. */
export async function ifExists<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Also true for a dangling symbolic link. */
export async function exists(path: string | Buffer): Promise<boolean> {
  return (await ifExists(async () => lstat(path))) !== null;
}

/** Empty for a missing directory or a non-directory. */
export async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
