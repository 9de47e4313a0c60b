import { setTimeout as wait } from 'node:timers/promises';
import type { FileHandle } from 'node:fs/promises';
import { removeTree } from './remove-tree.js';
import type { TempNames } from './temp-names.js';
import { walkTree } from './tree.js';

/** Of st_blocks, on every file system (stat(2)). */
const blockBytes = 512n;

interface WalkOptions {
  readonly signal: AbortSignal;
  readonly tempNames: TempNames;
}

interface MeasureOptions extends WalkOptions {
  /** Called often; may wait. */
  readonly pass?: () => Promise<void>;
}

/**
 * Like `du`: blocks, with directories, hard-linked files once. Excludes files in writing, whose space is reserved, and
 * removes stale ones. Works at most half of the time. Rejects with the reason of `signal`.
 */
export async function measureTree(root: FileHandle, { signal, tempNames, pass }: MeasureOptions): Promise<number> {
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
    rest: async () => {
      await rest();
      await pass?.();
    },
  });
  return Number(blocks * blockBytes);
}

/** Pauses after 20 ms of work for as long as the work took. */
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

/** Works at most half of the time. */
export async function removeStaleUploads(root: FileHandle, { signal, tempNames }: WalkOptions): Promise<number> {
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
