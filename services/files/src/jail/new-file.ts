import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { fail } from '../reasons.js';
import { isErrno } from './errno.js';
import { giveTo } from './make.js';
import { closing, entryPath, handlePath, openTrusted } from './node.js';
import type { Temporaries } from './temporaries.js';
import type { Owner } from './volumes.js';

/** A file that is being written and is not in its place yet. */
export interface NewFile {
  readonly handle: FileHandle;
  /** Append bytes. */
  write(bytes: Buffer): Promise<void>;
  /** Bytes written so far. */
  size(): number;
  /** SHA-256 in hex of what was written; the last thing to ask. */
  digest(): string;
  /** Put it in place of whatever regular file is there; after this it is on the disk for good. */
  replace(directory: FileHandle, name: Buffer): Promise<void>;
  /** Put it in place if nothing is there; false otherwise. */
  place(directory: FileHandle, name: Buffer): Promise<boolean>;
}

export interface NewFileOptions {
  /** Where it is written: a directory on the file system it will stay on. */
  readonly directory: FileHandle;
  readonly mode: number;
  readonly owner: Owner;
  readonly temporaries: Temporaries;
}

/** Run `use` with a new file; unless it was put in its place it is gone afterwards. */
export async function withNewFile<T>(options: NewFileOptions, use: (file: NewFile) => Promise<T>): Promise<T> {
  const { directory, temporaries } = options;
  const name = temporaries.take();
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    return await closing(await open(entryPath(directory, name), flags, 0o600), async (handle) => {
      await giveTo(handle, options.owner);
      // after the owner: a change of owner takes bits away
      await handle.chmod(options.mode);
      return use(newFile(handle, directory, name));
    });
  } finally {
    await unlinkIfThere(directory, name);
    temporaries.release(name);
  }
}

function newFile(handle: FileHandle, at: FileHandle, temporary: Buffer): NewFile {
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
    place: async (directory, name) => {
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

/** A new name survives a power cut only when its directory is written too. */
export async function syncDirectory(directory: FileHandle): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY;
  await closing(await open(handlePath(directory), flags), async (handle) => handle.sync());
}

/** The same for a directory of this service's own. */
export async function syncTrusted(path: string): Promise<void> {
  await closing(await openTrusted(path), syncDirectory);
}

async function unlinkIfThere(directory: FileHandle, name: Buffer): Promise<void> {
  try {
    await unlink(entryPath(directory, name));
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
}
