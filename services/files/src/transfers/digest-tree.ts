import type { FileHandle } from 'node:fs/promises';
import { type ReadTreeOptions, readTree, type TreeEvent } from './read-tree.js';
import type { TreeTotals } from './tree-digest.js';

/** Files that are synced at a time; a disk does several in the time of one. */
const maxSyncs = 8;

/**
 * Read a whole tree and return its totals and digest. `onBytes` is called after each piece, with its length (0 for entries): the
 * place to rest, to count, or to abort by throwing. With `isStaging` the tree is private, and every file is synced to
 * disk afterwards. Throws as `readTree` does.
 */
export async function digestTree(
  root: FileHandle,
  options: {
    readonly tempNames: ReadTreeOptions['tempNames'];
    readonly onBytes: (bytes: number) => Promise<void> | void;
    readonly isStaging?: boolean;
  },
): Promise<TreeTotals> {
  const syncs = new Syncs();
  const isStaging = options.isStaging === true;
  const release = isStaging ? async (file: FileHandle) => syncs.add(file) : undefined;
  try {
    for await (const event of readTree(root, { tempNames: options.tempNames, isPrivate: isStaging, release })) {
      if (event.type === 'end') {
        await syncs.done();
        return event.totals;
      }
      await options.onBytes(bytesOf(event));
    }
    throw new Error('a tree was read without its end');
  } finally {
    await syncs.settled();
  }
}

function bytesOf(event: TreeEvent): number {
  if (event.type === 'bytes') return event.bytes.length;
  return event.type === 'linked' ? event.entry.sizeBytes : 0;
}

/** Files on their way to the disk. */
class Syncs {
  readonly #running = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];

  /** Sync and close a file, beside the caller's work; waits for others when there are many. */
  async add(file: FileHandle): Promise<void> {
    while (this.#running.size >= maxSyncs) await Promise.race(this.#running);
    const sync = syncAndClose(file)
      .catch((error: unknown) => void this.#failures.push(error))
      .finally(() => this.#running.delete(sync));
    this.#running.add(sync);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Throws what went wrong with any of them. */
  async done(): Promise<void> {
    await this.settled();
    if (this.#failures.length > 0) throw this.#failures[0];
  }
}

async function syncAndClose(file: FileHandle): Promise<void> {
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
