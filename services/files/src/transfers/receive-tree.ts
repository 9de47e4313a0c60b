import type { AppError } from '@panel/kit/errors';
import type {
  ExportVolumeResponse,
  ExportVolumeResponse_Finish as Finish,
  ExportVolumeResponse_Part as Part,
  ExportVolumeResponse_Start as Start,
} from '@panel/protos/files';
import { fail } from '../reasons.js';
import { blockBytes } from './measure-volume.js';
import { invalidSource, maxChunkBytes, parseEntry, type WireEntry } from './wire-entry.js';
import type { PartialFile } from './partial-file.js';
import type { StagedFile, StagingTree } from './staging-tree.js';
import { comparePaths, isAncestor } from './tree-path.js';

/** Everything up to `afterPath` is complete. */
export interface Checkpoint {
  readonly afterPath: Buffer;
  readonly entries: number;
  /** Of files. */
  readonly bytes: number;
  /** On disk. */
  readonly storedBytes: number;
  /** The incomplete next file; null for none. */
  readonly partialPath: Buffer | null;
}

export const noCheckpoint: Checkpoint = {
  afterPath: Buffer.alloc(0),
  entries: 0,
  bytes: 0,
  storedBytes: 0,
  partialPath: null,
};

interface TreeReceiverOptions {
  readonly tree: StagingTree;
  /** End of the earlier pull. */
  readonly from: Checkpoint;
  /** As offered to the source. */
  readonly partial: PartialFile | null;
  /** After the source's measurement; may refuse. */
  readonly onStart: (start: Start) => Promise<void>;
  readonly onBytes: (bytes: number, path: Buffer) => Promise<void>;
  readonly onEntry: (reached: Checkpoint) => Promise<void>;
}

/**
 * Builds a tree from an untrusted source: verifies checksums and announced totals. Throws SOURCE_INVALID, TREE_MISMATCH
 * for a damaged file, SOURCE_UNAVAILABLE for an incomplete stream.
 */
export async function receiveTree(
  messages: AsyncIterable<ExportVolumeResponse>,
  options: TreeReceiverOptions,
): Promise<Finish> {
  const receiver = new TreeReceiver(options);
  try {
    for await (const { parts } of messages) {
      for (const { part } of parts) await receiver.take(part);
    }
    return receiver.end();
  } finally {
    await receiver.close();
  }
}

class TreeReceiver {
  #start: Start | null = null;
  #file: StagedFile | null = null;
  #finish: Finish | null = null;
  #previousPath: Buffer = Buffer.alloc(0);
  #reached: Checkpoint;
  #storedBytes = 0;

  readonly #options: TreeReceiverOptions;

  constructor(options: TreeReceiverOptions) {
    this.#options = options;
    this.#reached = options.from;
  }

  async take(part: Part['part']): Promise<void> {
    if (this.#finish) throw invalidSource('something comes behind the end');
    if (!this.#start) return this.#begin(part);
    switch (part?.$case) {
      case 'entry':
        return this.#enter(parseEntry(part.value, this.#previousPath), this.#start);
      case 'chunk':
        return this.#write(part.value.length, async (file) => file.write(part.value));
      case 'zeroBytes':
        return this.#write(part.value, async (file) => file.skip(part.value));
      case 'fileEnd':
        return this.#endFile(part.value.sha256);
      case 'finish':
        this.#requireNoFile();
        requireCounts(part.value.entries, part.value.bytes, part.value.skipped);
        await this.#options.tree.leaveAll();
        this.#finish = part.value;
        return undefined;
      default:
        throw invalidSource('a part is of no known kind');
    }
  }

  end(): Finish {
    if (this.#finish) return this.#finish;
    throw fail('SOURCE_UNAVAILABLE', 'the source ended before it had sent everything');
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #begin(part: Part['part']): Promise<void> {
    if (part?.$case !== 'start') throw invalidSource('the first part is not the start');
    const { entries, bytes, diskBytes } = part.value;
    requireCounts(entries, bytes, diskBytes);
    this.#start = part.value;
    await this.#options.onStart(part.value);
  }

  async #enter(entry: WireEntry, start: Start): Promise<void> {
    const { tree, from } = this.#options;
    this.#requireNoFile();
    this.#previousPath = entry.path;
    if (comparePaths(entry.path, from.afterPath) <= 0) {
      if (entry.kind !== 'directory' || !isAncestor(entry.path, from.afterPath))
        throw invalidSource('an entry comes again');
      return tree.enterDirectory(entry, true);
    }
    const { entries, bytes } = this.#reached;
    if (entries + 1 > start.entries || bytes + entry.sizeBytes > start.bytes) throw this.#tooMuch();
    this.#storedBytes = blockBytes;
    if (entry.linkedTo) await tree.makeHardLink(entry, entry.linkedTo);
    else if (entry.resumeBytes > 0) await this.#resumeFile(entry);
    else if (entry.kind === 'file') this.#file = await tree.openFile(entry);
    else if (entry.kind === 'directory') await tree.enterDirectory(entry, false);
    else await tree.makeSymlink(entry);
    return this.#file ? undefined : this.#complete(entry);
  }

  /** The source confirmed the local first bytes. */
  async #resumeFile(entry: WireEntry): Promise<void> {
    const { tree, partial, onBytes } = this.#options;
    const isOffered = partial?.path.equals(entry.path) && partial.bytes === entry.resumeBytes && entry.kind === 'file';
    if (!partial || !isOffered) throw invalidSource('bytes are left out that this node lacks');
    this.#file = await tree.continueFile(entry, partial);
    await onBytes(partial.bytes, entry.path);
  }

  /** A shrunken tree does not invalidate the source. */
  #tooMuch(): AppError {
    return this.#options.from.entries > 0
      ? fail('TREE_MISMATCH', 'the volume has changed since the earlier pull')
      : invalidSource('there is more than was announced');
  }

  async #write(bytes: number, write: (file: StagedFile) => Promise<void>): Promise<void> {
    const file = this.#file;
    if (!file) throw invalidSource('bytes come without a file');
    if (!Number.isInteger(bytes) || bytes <= 0 || bytes > maxChunkBytes)
      throw invalidSource('a chunk has no sound size');
    if (bytes > file.left) throw invalidSource('a file is longer than was announced');
    await write(file);
    await this.#options.onBytes(bytes, file.entry.path);
  }

  async #endFile(sha256: Buffer): Promise<void> {
    const file = this.#file;
    if (!file) throw invalidSource('a file ends that did not begin');
    if (file.left > 0) throw invalidSource('a file is shorter than was announced');
    const arrived = await file.finish();
    this.#file = null;
    await file.close();
    if (!arrived.equals(sha256)) throw fail('TREE_MISMATCH', 'a file arrived damaged');
    this.#storedBytes += file.storedBytes;
    await this.#complete(file.entry);
  }

  #requireNoFile(): void {
    if (this.#file) throw invalidSource('a file has no end');
  }

  async #complete({ path, sizeBytes }: WireEntry): Promise<void> {
    this.#reached = {
      afterPath: path,
      entries: this.#reached.entries + 1,
      bytes: this.#reached.bytes + sizeBytes,
      storedBytes: this.#reached.storedBytes + this.#storedBytes,
      partialPath: null,
    };
    await this.#options.onEntry(this.#reached);
  }
}

function requireCounts(...counts: readonly number[]): void {
  if (counts.some((count) => !Number.isSafeInteger(count) || count < 0)) throw invalidSource('a total is no number');
}
