import type { FileHandle } from 'node:fs/promises';
import { createConcurrencyLimiter } from '@panel/kit/async';
import { type ReadTreeOptions, readTree, type TreeEvent } from './read-tree.js';
import type { TreeTotals } from './tree-digest.js';

/** Concurrent syncs; disks combine them. */
const maxSyncs = 8;

/**
 * `onBytes` gets each piece's length (0 for entries); it may pause, count, or throw to abort. `isStaging`: private
 * tree, syncs every file. Throws as `readTree`.
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

class Syncs {
  readonly #limiter = createConcurrencyLimiter({ concurrency: maxSyncs });
  readonly #running = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];

  /** In the background; resolves when it begins. */
  async add(file: FileHandle): Promise<void> {
    await new Promise<void>((resolve) => {
      const begin = async () => {
        resolve();
        await syncAndClose(file);
      };
      const sync = this.#limiter
        .run(begin)
        .catch((error: unknown) => void this.#failures.push(error))
        .finally(() => this.#running.delete(sync));
      this.#running.add(sync);
    });
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Throws the first failure. */
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
