import { setTimeout as wait } from 'node:timers/promises';
import type { FileHandle } from 'node:fs/promises';
import { removeTree } from './remove-tree.js';
import type { TempNames } from './temp-names.js';
import { walkTree } from './tree.js';

/** Unit of st_blocks, whatever the file system's own block size (stat(2)). */
const blockBytes = 512n;

interface MeasureOptions {
  readonly signal: AbortSignal;
  readonly tempNames: TempNames;
}

/**
 * Bytes a tree takes on the disk, as `du` counts: blocks, not lengths, so sparse files cost what they take; directories
 * too; each file with several names once. Files that are being written are left out, because their writers have reserved
 * what they take; what a dead writer left behind is removed on the way. Works at most half of the time, so that a million
 * files do not slow other work down. Rejects with the reason of `signal` when it is aborted.
 */
export async function measureTree(root: FileHandle, { signal, tempNames }: MeasureOptions): Promise<number> {
  let blocks = (await root.stat({ bigint: true })).blocks;
  const seen = new Set<string>();
  const rest = dutyCycle(signal);
  await walkTree(root, {
    entry: async (directory, name, stats) => {
      if (tempNames.isActive(name)) return;
      if (tempNames.isStale(name, stats)) {
        await removeTree(directory, name, signal);
        return;
      }
      if (!stats.isDirectory() && stats.nlink > 1n) {
        const identity = `${stats.dev}:${stats.ino}`;
        if (seen.has(identity)) return;
        seen.add(identity);
      }
      blocks += stats.blocks;
    },
    rest,
  });
  return Number(blocks * blockBytes);
}

/** Something to call between pieces of work: after 20 ms of work, rest as long as the work took. */
export function dutyCycle(signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    signal.throwIfAborted();
    const worked = performance.now() - since;
    if (worked < 20) return;
    await wait(worked, undefined, { signal });
    since = performance.now();
  };
}

/**
 * Remove the temporary files of interrupted uploads, and directories of interrupted extractions, below a root. Works at
 * most half of the time.
 */
export async function removeStaleUploads(root: FileHandle, { signal, tempNames }: MeasureOptions): Promise<number> {
  let removed = 0;
  await walkTree(root, {
    entry: async (directory, name, stats) => {
      if (!tempNames.isStale(name, stats)) return;
      await removeTree(directory, name, signal);
      removed += 1;
    },
    rest: dutyCycle(signal),
  });
  return removed;
}
