import { mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isErrno } from '@panel/kit/errors';
import { syncTrusted } from '../../jail/atomic-write.js';
import { mapFsErrors } from '../../jail/errno.js';
import { bindDirectory } from '../../volumes/bound-directory.js';
import { createDirectoryFloor } from '../../volumes/free-space.js';
import { withHandle } from '../../jail/node.js';
import { namesIn } from '../../jail/paths.js';
import { fail } from '../../reasons.js';
import type { BlobStore } from '../storage/blob-store.js';

const partial = '.partial';
const spaceCheckBytes = 16 * 1024 * 1024;
const chunkBytes = 256 * 1024;

/** All calls throw DATA_ROOT_GONE on another disk than that of the start: what seems missing there must cost nothing. */
export async function openDiskBlobs(directory: string, minFreeBytes: number): Promise<BlobStore> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const bound = await bindDirectory(directory, 'the backup directory of the node');
  const blobs = createDiskBlobs(directory, minFreeBytes);
  const checked = async <T>(work: () => Promise<T>) => bound.assertSame().then(work);
  return {
    put: async (...args) => checked(async () => blobs.put(...args)),
    size: async (key) => checked(async () => blobs.size(key)),
    read: async function* (...args) {
      await bound.assertSame();
      yield* blobs.read(...args);
    },
    delete: async (key) => checked(async () => blobs.delete(key)),
    list: async function* (prefix) {
      await bound.assertSame();
      yield* blobs.list(prefix);
    },
    sweep: async (signal) => checked(async () => blobs.sweep(signal)),
  };
}

function createDiskBlobs(directory: string, minFreeBytes: number): BlobStore {
  const fileOf = (key: string) => path.join(directory, key);
  const floor = createDirectoryFloor(directory, minFreeBytes);
  /** In writing by this process. */
  const active = new Set<string>();
  return {
    put: async (key, content, _expectedBytes, signal) =>
      mapFsErrors(async () => {
        const target = fileOf(key);
        await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
        active.add(target + partial);
        try {
          await withHandle(await open(target + partial, 'w', 0o600), async (file) => {
            let size = 0;
            let checkedUpTo = 0;
            for await (const chunk of content) {
              signal.throwIfAborted();
              if (size >= checkedUpTo) {
                await floor.require(spaceCheckBytes);
                checkedUpTo = size + spaceCheckBytes;
              }
              for (let done = 0; done < chunk.length;) {
                done += (await file.write(chunk, done, chunk.length - done, size + done)).bytesWritten;
              }
              size += chunk.length;
            }
            await file.sync();
          });
          await rename(target + partial, target);
          await syncTrusted(path.dirname(target));
        } finally {
          await rm(target + partial, { force: true });
          active.delete(target + partial);
        }
      }),
    size: async (key) => mapMissing(async () => (await stat(fileOf(key))).size),
    read: (key, range, signal) => readFile(fileOf(key), range, signal),
    delete: async (key) => {
      await rm(fileOf(key), { force: true });
      await rm(fileOf(key) + partial, { force: true });
      await removeEmpty(path.dirname(fileOf(key)));
    },
    list: async function* (prefix) {
      for (const server of await namesIn(directory)) {
        for (const name of await namesIn(path.join(directory, server))) {
          const key = `${server}/${name}`;
          if (key.startsWith(prefix) && !key.endsWith(partial)) yield key;
        }
      }
    },
    sweep: async (signal) => {
      for (const server of await namesIn(directory)) {
        for (const name of await namesIn(path.join(directory, server))) {
          signal.throwIfAborted();
          const file = path.join(directory, server, name);
          if (name.endsWith(partial) && !active.has(file)) await rm(file, { force: true });
        }
      }
    },
  };
}

async function* readFile(
  file: string,
  { offset, length }: { readonly offset: number; readonly length: number },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const handle = await mapMissing(async () => open(file, 'r'));
  try {
    for (let position = offset; position < offset + length;) {
      signal.throwIfAborted();
      const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, offset + length - position));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function mapMissing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isErrno(error, 'ENOENT')) throw fail('BACKUP_MISSING', 'the backup is not on this node any more');
    throw error;
  }
}

async function removeEmpty(directory: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}
