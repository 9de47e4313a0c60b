import { lchown, link, lstat, readlink, rename, symlink, unlink, type FileHandle } from 'node:fs/promises';
import { fail } from '../reasons.js';
import { isErrno } from '@panel/kit/errors';
import { entryPath } from './node.js';
import { exists } from './paths.js';

export interface EntryRef {
  readonly directory: FileHandle;
  readonly name: Buffer;
}

/**
 * Throws FILE_EXISTS. Race-free for files: link(2) fails on an existing name. Node has no such call for directories;
 * rename(2) does not replace a non-empty one.
 */
export async function moveWithoutReplacing(from: EntryRef, to: EntryRef, isDirectory: boolean): Promise<void> {
  const [source, target] = [entryPath(from.directory, from.name), entryPath(to.directory, to.name)];
  try {
    if (isDirectory || !(await linkInstead(source, target))) {
      if (await exists(target)) throw taken();
      await rename(source, target);
    }
  } catch (error) {
    if (isErrno(error, 'EEXIST', 'ENOTEMPTY', 'EISDIR')) throw taken(error);
    throw error;
  }
}

/** False without hard link support. */
async function linkInstead(source: Buffer, target: Buffer): Promise<boolean> {
  try {
    await link(source, target);
  } catch (error) {
    if (isErrno(error, 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) return false;
    if (!isErrno(error, 'EXDEV') || !(await copyLink(source, target))) throw error;
  }
  await unlink(source);
  return true;
}

/** Recreates a symbolic link, as link(2) fails across quota projects. False for other files. */
export async function copyLink(source: Buffer, target: Buffer): Promise<boolean> {
  const stats = await lstat(source);
  if (!stats.isSymbolicLink()) return false;
  await symlink(await readlink(source, { encoding: 'buffer' }), target);
  await lchown(target, stats.uid, stats.gid);
  return true;
}

function taken(cause?: unknown) {
  return fail('FILE_EXISTS', 'there is something of this name already', {}, { cause });
}
