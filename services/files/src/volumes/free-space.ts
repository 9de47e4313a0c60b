import { mkdir, statfs } from 'node:fs/promises';
import { fail } from '../reasons.js';

/** Refuses writes that would leave less than the configured free space on the file system of the volumes. */
export interface FreeSpaceFloor {
  /** Throws NODE_DISK_LOW unless `bytes` more can be written above the floor. */
  require(bytes: number): Promise<void>;
  /** Bytes that are free, those below the floor among them. */
  freeBytes(): Promise<number>;
}

/** How long a reading lasts; what was allowed since is taken from it. */
const readingMs = 200;

/** A floor of `minFreeBytes`: games that run, and the node itself, need room that uploads must not take. */
export function createFreeSpaceFloor(
  space: () => Promise<{ readonly freeBytes: number }>,
  minFreeBytes: number,
): FreeSpaceFloor {
  let freeBytes = 0;
  let readAt = -Infinity;
  const refresh = async () => {
    ({ freeBytes } = await space());
    readAt = performance.now();
  };
  return {
    require: async (bytes) => {
      // what little room a reading says there is may be more by now
      if (performance.now() - readAt >= readingMs || freeBytes - bytes < minFreeBytes) await refresh();
      if (freeBytes - bytes < minFreeBytes) {
        throw fail(
          'NODE_DISK_LOW',
          'the disk of the node is almost full: nothing more is written until space is freed',
          {
            free_bytes: freeBytes,
            min_free_bytes: minFreeBytes,
          },
        );
      }
      freeBytes -= bytes;
    },
    freeBytes: async () => (await space()).freeBytes,
  };
}

/** The floor of the file system of a directory of our own, which is made if it is missing. */
export function createDirectoryFloor(directory: string, minFreeBytes: number): FreeSpaceFloor {
  return createFreeSpaceFloor(async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(directory);
    return { freeBytes: bavail * bsize };
  }, minFreeBytes);
}
