import { fail } from '../reasons.js';

/** Refuses writes that would leave less than the configured free space on the file system of the volumes. */
export interface FreeSpaceFloor {
  /** Throws NODE_DISK_LOW unless `bytes` more can be written above the floor. */
  require(bytes: number): Promise<void>;
}

/** A floor of `minFreeBytes`: games that run, and the node itself, need room that uploads must not take. */
export function createFreeSpaceFloor(
  space: () => Promise<{ readonly freeBytes: number }>,
  minFreeBytes: number,
): FreeSpaceFloor {
  return {
    require: async (bytes) => {
      const { freeBytes } = await space();
      if (freeBytes - bytes >= minFreeBytes) return;
      throw fail('NODE_DISK_LOW', 'the disk of the node is almost full: nothing more is written until space is freed', {
        free_bytes: freeBytes,
        min_free_bytes: minFreeBytes,
      });
    },
  };
}
