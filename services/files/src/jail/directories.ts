import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { isErrno } from '@panel/kit/errors';
import { withHandle, entryPath, openDirectory } from './node.js';
import type { Segments } from '../domain/path.js';
import type { Owner } from './owner.js';

const directoryMode = 0o755;

/** Change the owner of an open file or directory to the user of the game, unless it is already. */
export async function chownTo(handle: FileHandle, owner: Owner): Promise<void> {
  const stats = await handle.stat();
  if (stats.uid !== owner.uid || stats.gid !== owner.gid) await handle.chown(owner.uid, owner.gid);
}

/** As `chownTo`, for a file that this process has just made: it has our user, so mostly there is nothing to look at. */
export async function chownNew(file: FileHandle, owner: Owner): Promise<void> {
  if (process.geteuid?.() === owner.uid) await chownTo(file, owner);
  else await file.chown(owner.uid, owner.gid);
}

/** Make one directory; false when there is something already. */
export async function makeDirectory(parent: FileHandle, name: Buffer, owner: Owner): Promise<boolean> {
  try {
    await mkdir(entryPath(parent, name), directoryMode);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  }
  await finishDirectory(parent, name, owner);
  return true;
}

/** Set mode and owner of a new directory, also of one that was left by a process that died before it did so. */
export async function finishDirectory(parent: FileHandle, name: Buffer, owner: Owner): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;
  await withHandle(await open(entryPath(parent, name), flags), async (directory) => {
    await directory.chmod(directoryMode);
    await chownTo(directory, owner);
  });
}

/**
 * Make the directories `names`, one in the other, below an open one, and run `use` in the innermost. What others make at
 * the same time is taken as it is, if it is a directory and no link.
 */
export async function withDirectories<T>(
  start: FileHandle,
  names: Segments,
  owner: Owner,
  use: (directory: FileHandle) => Promise<T>,
): Promise<T> {
  const [name, ...rest] = names;
  if (!name) return use(start);
  await makeDirectory(start, name, owner);
  return withHandle(await openDirectory(start, name), async (next) => withDirectories(next, rest, owner, use));
}
