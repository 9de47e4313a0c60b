import { setTimeout as wait } from 'node:timers/promises';
import type { FileHandle } from 'node:fs/promises';
import { walkTree } from './tree.js';

/** Unit of st_blocks, whatever the file system's own block size (stat(2)). */
const blockBytes = 512n;

/**
 * Bytes a tree takes on the disk, as `du` counts: blocks, not lengths, so sparse files cost what they take; directories
 * too; each file with several names once. Works at most half of the time, so that a million files slow nobody down.
 * Rejects with the reason of `signal` when it is aborted.
 */
export async function measureTree(root: FileHandle, signal: AbortSignal): Promise<number> {
  let blocks = (await root.stat({ bigint: true })).blocks;
  const seen = new Set<string>();
  const rest = restingHalf(signal);
  await walkTree(root, {
    entry: (_directory, _name, stats) => {
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

/** After 20 ms of work, rest as long as the work took. */
function restingHalf(signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    signal.throwIfAborted();
    const worked = performance.now() - since;
    if (worked < 20) return;
    await wait(worked, undefined, { signal });
    since = performance.now();
  };
}
