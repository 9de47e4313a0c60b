import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { fail } from '../reasons.js';
import { isErrno } from '@panel/kit/errors';
import { chownTo } from './directories.js';
import { withHandle, entryPath, handlePath, openTrusted } from './node.js';
import type { TempNames } from './temp-names.js';
import type { Owner } from './owner.js';

/** In writing, not yet in place. */
export interface AtomicFile {
  readonly handle: FileHandle;
  write(bytes: Buffer): Promise<void>;
  size(): number;
  /** In hex; ends the hash. */
  digest(): string;
  /** Over an existing regular file; syncs. */
  replace(directory: FileHandle, name: Buffer): Promise<void>;
  /** False when the name is taken. */
  linkAs(directory: FileHandle, name: Buffer): Promise<boolean>;
}

interface AtomicFileOptions {
  /** Must be on the target's file system. */
  readonly directory: FileHandle;
  readonly mode: number;
  readonly owner: Owner;
  readonly tempNames: TempNames;
}

/** Removes the file after `use` unless renamed or linked. */
export async function withAtomicFile<T>(options: AtomicFileOptions, use: (file: AtomicFile) => Promise<T>): Promise<T> {
  const { directory, tempNames } = options;
  const name = tempNames.take();
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    return await withHandle(await open(entryPath(directory, name), flags, 0o600), async (handle) => {
      await chownTo(handle, options.owner);
      // after chown, which clears mode bits
      await handle.chmod(options.mode);
      return use(createAtomicFile(handle, directory, name));
    });
  } finally {
    await unlinkIfThere(directory, name);
    tempNames.release(name);
  }
}

function createAtomicFile(handle: FileHandle, at: FileHandle, temporary: Buffer): AtomicFile {
  const hash = createHash('sha256');
  let size = 0;
  return {
    handle,
    write: async (bytes) => {
      hash.update(bytes);
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, size + done);
        done += bytesWritten;
      }
      size += bytes.length;
    },
    size: () => size,
    digest: () => hash.digest('hex'),
    replace: async (directory, name) => {
      await handle.sync();
      try {
        await rename(entryPath(at, temporary), entryPath(directory, name));
      } catch (error) {
        if (isErrno(error, 'EISDIR', 'ENOTEMPTY', 'EEXIST')) throw fail('NOT_A_FILE', 'this is a directory');
        throw error;
      }
      await syncDirectory(directory);
    },
    linkAs: async (directory, name) => {
      await handle.sync();
      try {
        await link(entryPath(at, temporary), entryPath(directory, name));
      } catch (error) {
        if (isErrno(error, 'EEXIST')) return false;
        throw error;
      }
      await syncDirectory(directory);
      return true;
    },
  };
}

/** A new name needs its directory synced, in case of power loss. */
export async function syncDirectory(directory: FileHandle): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY;
  await withHandle(await open(handlePath(directory), flags), async (handle) => handle.sync());
}

export async function syncTrusted(path: string): Promise<void> {
  await withHandle(await openTrusted(path), syncDirectory);
}

async function unlinkIfThere(directory: FileHandle, name: Buffer): Promise<void> {
  try {
    await unlink(entryPath(directory, name));
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
}
