import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { isErrno } from '@panel/kit/errors';
import { withHandle, entryPath, openDirectory } from './node.js';
import type { Segments } from '../domain/path.js';
import type { Owner } from './owner.js';

const directoryMode = 0o755;

export async function chownTo(handle: FileHandle, owner: Owner): Promise<void> {
  const stats = await handle.stat();
  if (stats.uid !== owner.uid || stats.gid !== owner.gid) await handle.chown(owner.uid, owner.gid);
}

/** Skips the stat when the owner must differ. */
export async function chownNew(file: FileHandle, owner: Owner): Promise<void> {
  if (process.geteuid?.() === owner.uid) await chownTo(file, owner);
  else await file.chown(owner.uid, owner.gid);
}

/** False when the name exists. */
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

/** Also after a crash. */
export async function finishDirectory(parent: FileHandle, name: Buffer, owner: Owner): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;
  await withHandle(await open(entryPath(parent, name), flags), async (directory) => {
    await directory.chmod(directoryMode);
    await chownTo(directory, owner);
  });
}

/** Accepts concurrently created directories, but no links. */
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
