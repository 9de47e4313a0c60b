import type { FileHandle } from 'node:fs/promises';
import type { KeyedMutex } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import type { TaskGroup } from '@panel/kit/process';
import type {
  ExportVolumeResponse_Finish as SourceFinish,
  ExportVolumeResponse_Start as Start,
} from '@panel/protos/files';
import { withHandle, openDirectory, openTrusted } from '../jail/node.js';
import type { TempNames } from '../jail/temp-names.js';
import type { UsageMeter } from '../volumes/usage.js';
import { type Volumes } from '../volumes/volumes.js';
import { inodeIdentity } from '../jail/inode-identity.js';
import type { Owner } from '../jail/owner.js';
import { fail } from '../reasons.js';
import type { DiskQuotas } from '../quotas/disk-quotas.js';
import { digestTree } from './digest-tree.js';
import { type Checkpoint, noCheckpoint, receiveTree } from './receive-tree.js';
import { type PartialFile, readPartialFile } from './partial-file.js';
import { splitPath } from './wire-entry.js';
import { type ConnectTo, exportFrom } from './export-source.js';
import { finishRoot, StagingTree } from './staging-tree.js';
import type { TreeTotals } from './tree-digest.js';
import { treeName, type TransferStore, type VolumeMark } from './transfer-store.js';

export interface PullDeps {
  readonly clock: () => Date;
  readonly volumes: Volumes;
  readonly quotas: DiskQuotas;
  readonly store: TransferStore;
  readonly owner: Owner;
  readonly tempNames: TempNames;
  readonly usage: UsageMeter;
  /** By server id; guards the server's volume. */
  readonly volumeMutex: KeyedMutex;
  readonly connectTo: ConnectTo;
  readonly tasks: TaskGroup;
}

export interface PullRequest {
  readonly serverId: string;
  readonly operationId: string;
  readonly sourceAddress: string;
  readonly grant: string;
}

export interface PullProgress {
  phase: 'measuring' | 'copying' | 'verifying' | 'finished';
  bytesDone: number;
  bytesTotal: number;
  entriesDone: number;
  entriesTotal: number;
  bytesVerified: number;
}

export type Finished = Omit<VolumeMark, 'operationId' | 'directory'>;

/** Checkpoints by time and bytes; they bound the loss in a crash. */
const checkpointIntervalMs = 500;
const checkpointBytes = 16 * 1024 * 1024;

/**
 * Copies a volume into place. Complete entries remain for the operation's next pull, which also detects a committed
 * volume. One at a time per server.
 */
export async function pullVolume(
  deps: PullDeps,
  request: PullRequest,
  progress: PullProgress,
  signal: AbortSignal,
): Promise<Finished> {
  const pull = new Pull(deps, request, progress, signal);
  return (await pull.findFinished()) ?? pull.run();
}

class Pull {
  #checkpoint: Checkpoint = noCheckpoint;
  #partial: PartialFile | null = null;
  #savedAt = performance.now();
  #unsavedBytes = 0;
  #isSaved = true;

  readonly #deps: PullDeps;
  readonly #request: PullRequest;
  readonly #progress: PullProgress;
  readonly #signal: AbortSignal;

  constructor(deps: PullDeps, request: PullRequest, progress: PullProgress, signal: AbortSignal) {
    this.#deps = deps;
    this.#request = request;
    this.#progress = progress;
    this.#signal = signal;
  }

  /** By an earlier pull of this operation. */
  async findFinished(): Promise<Finished | null> {
    const { serverId, operationId } = this.#request;
    const mark = await findCommitted(this.#deps, serverId, operationId);
    return mark && this.#finish(mark);
  }

  async run(): Promise<Finished> {
    const { store } = this.#deps;
    const { operationId } = this.#request;
    await this.#requirePlace();
    await this.#beginTree();
    try {
      return await withHandle(await openTrusted(await store.directoryOf(operationId)), async (directory) => {
        await this.#requireOneFileSystem(directory);
        const mark = await withHandle(await openDirectory(directory, treeName), async (tree) => {
          await this.#deps.quotas.include(this.#request.serverId, tree);
          const { bytes, entries, skipped, treeSha256 } = await this.#copy(tree);
          await this.#verify(tree, { bytes, entries, treeSha256 });
          await finishRoot(tree, this.#deps.owner);
          return { operationId, directory: await inodeIdentity(tree), bytes, entries, skipped, treeSha256 };
        });
        return await this.#commit(directory, mark);
      });
    } catch (error) {
      if (isAppError(error, 'TREE_MISMATCH', 'SOURCE_INVALID')) await removeStaging(this.#deps, operationId);
      else await this.#saveIfPossible();
      throw error;
    }
  }

  /** Throws if the place is not free; called before the first byte and before the commit. */
  async #requirePlace(): Promise<void> {
    const { volumes, store } = this.#deps;
    const { serverId, operationId } = this.#request;
    if (await store.isDiscarded(operationId)) throw transferDiscardedError();
    const occupant = await volumes.occupant(serverId);
    if (occupant === 'volume') throw volumeExists();
    // an empty volume may stem from another transfer
    const mark = await store.readMark(serverId);
    if (mark && (await findCommitted(this.#deps, serverId, mark.operationId))) throw volumeExists();
  }

  /** Otherwise the commit would fail after the whole copy. */
  async #requireOneFileSystem(directory: FileHandle): Promise<void> {
    if (await this.#deps.volumes.canAdoptFrom(directory)) return;
    throw fail('DATA_ROOT_CROSS_DEVICE', 'the data root of the node is divided into several file systems');
  }

  /** Removes data without a checkpoint: it is unknown. */
  async #beginTree(): Promise<void> {
    const { store } = this.#deps;
    const { operationId } = this.#request;
    const checkpoint = (await store.hasTree(operationId)) ? await store.readCheckpoint(operationId) : null;
    if (!checkpoint) await removeStaging(this.#deps, operationId);
    await store.makeTree(operationId);
    this.#checkpoint = checkpoint ?? noCheckpoint;
    this.#progress.bytesDone = this.#checkpoint.bytes;
    this.#progress.entriesDone = this.#checkpoint.entries;
  }

  async #copy(root: FileHandle): Promise<SourceFinish> {
    const { connectTo, owner } = this.#deps;
    const { sourceAddress: address, grant } = this.#request;
    const { afterPath } = this.#checkpoint;
    const partial = await this.#readPartial(root);
    const offered = partial
      ? { path: partial.path, bytes: partial.bytes, sha256: partial.hash.copy().digest() }
      : undefined;
    const tree = await StagingTree.open(root, owner, this.#signal);
    try {
      return await receiveTree(exportFrom(connectTo, { address, grant, afterPath, partial: offered }, this.#signal), {
        tree,
        from: this.#checkpoint,
        partial,
        onStart: async (start) => this.#start(start),
        onBytes: async (bytes, path) => this.#receiveBytes(bytes, path),
        onEntry: async (reached) => this.#advance(reached),
      });
    } finally {
      await tree.close();
    }
  }

  async #readPartial(root: FileHandle): Promise<PartialFile | null> {
    const { partialPath: path } = this.#checkpoint;
    if (!path) return null;
    this.#partial = await readPartialFile(root, { path, segments: splitPath(path) }, () =>
      this.#signal.throwIfAborted(),
    );
    return this.#partial;
  }

  async #start(start: Start): Promise<void> {
    Object.assign(this.#progress, { phase: 'copying', bytesTotal: start.bytes, entriesTotal: start.entries });
    const { freeBytes } = await this.#deps.volumes.space();
    const hereBytes = this.#checkpoint.storedBytes + (this.#partial?.storedBytes ?? 0);
    const requiredBytes = Math.max(0, start.diskBytes - hereBytes);
    if (requiredBytes <= freeBytes) return;
    throw fail('INSUFFICIENT_DISK', 'the node has less room than the volume takes', {
      required_bytes: requiredBytes,
      free_bytes: freeBytes,
    });
  }

  /** The file's name suffices to resume it. */
  async #receiveBytes(bytes: number, path: Buffer): Promise<void> {
    this.#signal.throwIfAborted();
    this.#progress.bytesDone += bytes;
    this.#unsavedBytes += bytes;
    if (this.#checkpoint.partialPath !== path) {
      this.#checkpoint = { ...this.#checkpoint, partialPath: path };
      this.#isSaved = false;
    }
    if (!this.#isSaved && this.#isDue()) await this.#save();
  }

  #isDue(): boolean {
    return performance.now() - this.#savedAt >= checkpointIntervalMs || this.#unsavedBytes >= checkpointBytes;
  }

  async #advance(reached: Checkpoint): Promise<void> {
    this.#signal.throwIfAborted();
    this.#checkpoint = reached;
    this.#isSaved = false;
    this.#progress.bytesDone = reached.bytes;
    this.#progress.entriesDone = reached.entries;
    if (this.#isDue()) await this.#save();
  }

  async #save(): Promise<void> {
    if (this.#isSaved) return;
    await this.#deps.store.saveCheckpoint(this.#request.operationId, this.#checkpoint);
    this.#savedAt = performance.now();
    this.#unsavedBytes = 0;
    this.#isSaved = true;
  }

  /** Keeps the first error; at worst costs time. */
  async #saveIfPossible(): Promise<void> {
    await this.#save().catch(() => undefined);
  }

  /** Reads the tree back from disk. */
  async #verify(tree: FileHandle, source: TreeTotals): Promise<void> {
    await this.#save();
    this.#progress.phase = 'verifying';
    const arrived = await digestTree(tree, {
      tempNames: this.#deps.tempNames,
      isStaging: true,
      onBytes: (bytes) => {
        this.#signal.throwIfAborted();
        this.#progress.bytesVerified += bytes;
      },
    });
    const isSame =
      arrived.treeSha256 === source.treeSha256 && arrived.entries === source.entries && arrived.bytes === source.bytes;
    if (!isSame) throw fail('TREE_MISMATCH', 'what has arrived is not what the source has');
  }

  /** Writes the mark with the directory's inode first: the rename commits, and the mark proves it after a crash. */
  async #commit(directory: FileHandle, mark: VolumeMark): Promise<Finished> {
    const { volumes, quotas, store, usage, volumeMutex } = this.#deps;
    const { serverId, operationId } = this.#request;
    await volumeMutex.run(serverId, async () => {
      this.#signal.throwIfAborted();
      await this.#requirePlace();
      await store.writeMark(serverId, mark);
      if (await volumes.adopt(serverId, directory, treeName)) return quotas.hold(serverId);
      await store.removeMark(serverId);
      throw volumeExists();
    });
    usage.forget(serverId);
    await removeStaging(this.#deps, operationId);
    return this.#finish(mark);
  }

  #finish({ bytes, entries, skipped, treeSha256 }: VolumeMark): Finished {
    Object.assign(this.#progress, {
      phase: 'finished',
      bytesDone: bytes,
      bytesTotal: bytes,
      entriesDone: entries,
      entriesTotal: entries,
      bytesVerified: bytes,
    });
    return { bytes, entries, skipped, treeSha256 };
  }
}

export function transferDiscardedError() {
  return fail('TRANSFER_DISCARDED', 'this transfer was given up');
}

function volumeExists() {
  return fail('VOLUME_EXISTS', 'the server has a volume on this node that this transfer has not made');
}

/** Null if not committed, or deleted since. */
export async function findCommitted(
  { store, volumes }: Pick<PullDeps, 'store' | 'volumes'>,
  serverId: string,
  operationId: string,
): Promise<VolumeMark | null> {
  const mark = await store.readMark(serverId);
  if (mark?.operationId !== operationId) return null;
  return (await volumes.identify(serverId)) === mark.directory ? mark : null;
}

export type Removal = (signal: AbortSignal) => Promise<void>;

/** Null without data. */
export async function detachStaging(
  { volumes, store, tasks }: Pick<PullDeps, 'volumes' | 'store' | 'tasks'>,
  operationId: string,
): Promise<Removal | null> {
  return withHandle(await openTrusted(store.directory), async (transfers) =>
    volumes.discard(transfers, Buffer.from(operationId), tasks.signal),
  );
}

/** A task removes the detached bytes. */
export async function removeStaging(
  deps: Pick<PullDeps, 'volumes' | 'store' | 'tasks'>,
  operationId: string,
): Promise<void> {
  const removal = await detachStaging(deps, operationId);
  if (removal) deps.tasks.run('remove what has arrived of a volume', removal);
}
