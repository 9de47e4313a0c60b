import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, chown, type FileHandle, lchown, link, lutimes, mkdir, open, symlink, utimes } from 'node:fs/promises';
import { isErrno } from '@panel/kit/errors';
import { syncDirectory } from '../jail/atomic-write.js';
import { withHandle, duplicate, entryPath, handlePath, openDirectory, openNode } from '../jail/node.js';
import type { Segments } from '../domain/path.js';
import { removeTree } from '../jail/remove-tree.js';
import { identityOf, returnToParent } from '../jail/tree.js';
import type { Owner } from '../jail/owner.js';
import { fail } from '../reasons.js';
import { type PartialFile, openBelow } from './partial-file.js';
import { invalidSource, maxChunkBytes, type WireEntry } from './wire-entry.js';

/** Mode and time are set last: entries need write access and change the time. */
interface Level {
  readonly name: Buffer;
  readonly identity: string;
  readonly entry: WireEntry | null;
}

const zeros = Buffer.alloc(maxChunkBytes);

/** Private during the build. */
const buildingMode = 0o700;

export interface StagedFile {
  readonly entry: WireEntry;
  /** Bytes to come. */
  readonly left: number;
  /** Without skipped ones. */
  readonly storedBytes: number;
  write(bytes: Buffer): Promise<void>;
  /** Zeros, without disk usage. */
  skip(bytes: number): void;
  /** Sets owner, mode and time; returns the digest. */
  finish(): Promise<Buffer>;
  close(): Promise<void>;
}

/**
 * Creates entries in sorted order, each by one name in an open directory, and follows no link: no sequence leaves the
 * root. The caller closes it.
 */
export class StagingTree {
  readonly #owner: Owner;
  readonly #signal: AbortSignal;
  readonly #levels: Level[];
  readonly #root: FileHandle;
  #directory: FileHandle;

  private constructor(
    root: FileHandle,
    directory: FileHandle,
    level: Level,
    { owner, signal }: { readonly owner: Owner; readonly signal: AbortSignal },
  ) {
    this.#root = root;
    this.#directory = directory;
    this.#levels = [level];
    this.#owner = owner;
    this.#signal = signal;
  }

  /** The root is borrowed. */
  static async open(root: FileHandle, owner: Owner, signal: AbortSignal): Promise<StagingTree> {
    const directory = await duplicate(root);
    const identity = identityOf(await directory.stat({ bigint: true }));
    return new StagingTree(root, directory, { name: Buffer.alloc(0), identity, entry: null }, { owner, signal });
  }

  async close(): Promise<void> {
    await this.#directory.close();
  }

  /** `isResumed`: enters that of an earlier pull. Throws TREE_MISMATCH. */
  async enterDirectory(entry: WireEntry, isResumed: boolean): Promise<void> {
    const name = await this.#goTo(entry.segments);
    const path = entryPath(this.#directory, name);
    if (!isResumed) await this.#create(name, async () => mkdir(path, buildingMode));
    const child = await this.#enter(name);
    try {
      if (isResumed) await chmod(handlePath(child), buildingMode);
      this.#levels.push({ name, identity: identityOf(await child.stat({ bigint: true })), entry });
    } catch (error) {
      await child.close();
      throw error;
    }
    await this.#directory.close();
    this.#directory = child;
  }

  /** The target is never followed here. */
  async makeSymlink(entry: WireEntry): Promise<void> {
    const name = await this.#goTo(entry.segments);
    const path = entryPath(this.#directory, name);
    await this.#create(name, async () => symlink(entry.linkTarget, path));
    await lchown(path, this.#owner.uid, this.#owner.gid);
    await lutimes(path, secondsOf(entry.modifiedAt), secondsOf(entry.modifiedAt));
  }

  /** Throws SOURCE_INVALID without the linked file. */
  async makeHardLink(entry: WireEntry, linkedTo: Segments): Promise<void> {
    const name = await this.#goTo(entry.segments);
    const first = linkedTo.at(-1) ?? Buffer.alloc(0);
    const directory = await openThere(async () => openBelow(this.#root, linkedTo.slice(0, -1)));
    await withHandle(directory, async () => {
      await withHandle(await openThere(async () => openNode(directory, first)), requireFile);
      const target = entryPath(this.#directory, name);
      await this.#create(name, async () => link(entryPath(directory, first), target));
    });
  }

  /** The caller closes it. */
  async openFile(entry: WireEntry): Promise<StagedFile> {
    const name = await this.#goTo(entry.segments);
    const path = entryPath(this.#directory, name);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    return new StagedFileWriter(await this.#create(name, async () => open(path, flags, 0o600)), entry, this.#owner);
  }

  /** After the verified bytes. The caller closes it. */
  async continueFile(entry: WireEntry, partial: PartialFile): Promise<StagedFile> {
    const name = await this.#goTo(entry.segments);
    const file = await withHandle(await openNode(this.#directory, name), async (node) => {
      if (identityOf(await node.stat({ bigint: true })) === partial.identity)
        return open(handlePath(node), constants.O_WRONLY);
      throw fail('TREE_MISMATCH', 'what an earlier pull has left is not there any more');
    });
    return new StagedFileWriter(file, entry, this.#owner, partial);
  }

  async leaveAll(): Promise<void> {
    while (this.#levels.length > 1) await this.#leave();
  }

  /** Finishes directories it leaves. Returns the entry's name. */
  async #goTo(segments: Segments): Promise<Buffer> {
    const above = segments.slice(0, -1);
    while (!this.#isOnTheWayTo(above)) await this.#leave();
    const name = segments.at(-1);
    if (!name || this.#levels.length - 1 !== above.length)
      throw invalidSource('an entry is in no directory that was sent');
    return name;
  }

  #isOnTheWayTo(above: Segments): boolean {
    const depth = this.#levels.length - 1;
    return depth <= above.length && this.#levels.slice(1).every(({ name }, at) => above[at]?.equals(name));
  }

  async #leave(): Promise<void> {
    const level = this.#levels.pop();
    const above = this.#levels.at(-1);
    if (!level?.entry || !above) throw invalidSource('there is nothing above the root');
    const path = handlePath(this.#directory);
    await syncDirectory(this.#directory);
    await chown(path, this.#owner.uid, this.#owner.gid);
    await chmod(path, level.entry.mode);
    await utimes(path, secondsOf(level.entry.modifiedAt), secondsOf(level.entry.modifiedAt));
    const parent = await returnToParent(this.#directory, above.identity);
    await this.#directory.close();
    this.#directory = parent;
  }

  async #enter(name: Buffer): Promise<FileHandle> {
    try {
      return await openDirectory(this.#directory, name);
    } catch (error) {
      if (!isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw error;
      throw fail('TREE_MISMATCH', 'what an earlier pull has left is not there any more', {}, { cause: error });
    }
  }

  /** Replaces an entry of an interrupted pull. */
  async #create<T>(name: Buffer, make: () => Promise<T>): Promise<T> {
    try {
      return await make();
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
      await removeTree(this.#directory, name, this.#signal);
      return make();
    }
  }
}

async function openThere(open: () => Promise<FileHandle>): Promise<FileHandle> {
  try {
    return await open();
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw invalidSource('a name belongs to nothing that was sent');
    throw error;
  }
}

async function requireFile(node: FileHandle): Promise<void> {
  if (!(await node.stat()).isFile()) throw invalidSource('a name belongs to what is no file');
}

class StagedFileWriter implements StagedFile {
  readonly #hash: Hash;
  #position: number;
  #storedBytes: number;

  readonly #handle: FileHandle;
  readonly #owner: Owner;

  constructor(
    handle: FileHandle,
    readonly entry: WireEntry,
    owner: Owner,
    partial?: Pick<PartialFile, 'bytes' | 'storedBytes' | 'hash'>,
  ) {
    this.#handle = handle;
    this.#owner = owner;
    this.#hash = partial?.hash.copy() ?? createHash('sha256');
    this.#position = partial?.bytes ?? 0;
    this.#storedBytes = partial?.storedBytes ?? 0;
  }

  get left(): number {
    return this.entry.sizeBytes - this.#position;
  }

  get storedBytes(): number {
    return this.#storedBytes;
  }

  async write(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes);
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, this.#position + done);
      done += bytesWritten;
    }
    this.#position += bytes.length;
    this.#storedBytes += bytes.length;
  }

  skip(bytes: number): void {
    this.#hash.update(zeros.subarray(0, bytes));
    this.#position += bytes;
  }

  async finish(): Promise<Buffer> {
    if (this.#storedBytes < this.#position) await this.#handle.truncate(this.#position);
    await this.#handle.chown(this.#owner.uid, this.#owner.gid);
    // after chown, which clears mode bits
    await this.#handle.chmod(this.entry.mode);
    await this.#handle.utimes(secondsOf(this.entry.modifiedAt), secondsOf(this.entry.modifiedAt));
    return this.#hash.digest();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Node truncates to microseconds; half of one more keeps the millisecond. */
function secondsOf(time: Date): number {
  return (time.getTime() + 0.0005) / 1000;
}

/** Like a volume's root. */
export async function finishRoot(root: FileHandle, owner: Owner): Promise<void> {
  await withHandle(await open(handlePath(root), constants.O_RDONLY | constants.O_DIRECTORY), async (directory) => {
    await directory.chown(owner.uid, owner.gid);
    await directory.chmod(0o750);
    await directory.sync();
  });
}
