import { mkdir, statfs } from 'node:fs/promises';
import { fail } from '../reasons.js';

export interface FreeSpaceFloor {
  /** Throws NODE_DISK_LOW below the floor. */
  require(bytes: number): Promise<void>;
  /** Includes space below the floor. */
  freeBytes(): Promise<number>;
}

/** Validity of a reading; granted bytes are subtracted. */
const readingMs = 200;

/** For games and the node. */
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
      // space may have been freed
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

/** Creates a missing directory. */
export function createDirectoryFloor(directory: string, minFreeBytes: number): FreeSpaceFloor {
  return createFreeSpaceFloor(async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(directory);
    return { freeBytes: bavail * bsize };
  }, minFreeBytes);
}
