import type { BigIntStats } from 'node:fs';
import { lstat, opendir, type FileHandle } from 'node:fs/promises';
import { AppError, isErrno } from '@panel/kit/errors';
import { duplicate, entryPath, handlePath, openParent } from './node.js';
import type { Segments } from '../domain/path.js';
import { bufferNames, enterDirectory, nameOf } from './resolve.js';

/** What is done on the way through a tree. */
interface TreeVisitor {
  /**
   * One thing in `directory`; a directory comes before what is in it. `above` returns the names from the root down to the
   * directory. A failure ends the walk.
   */
  entry(directory: FileHandle, name: Buffer, stats: BigIntStats, above: () => Segments): Promise<void> | void;
  /** Everything in the directory `name` has been seen. */
  leave?(directory: FileHandle, name: Buffer): Promise<void>;
  /** Called between batches of entries: the place to rest, or to give up. */
  rest?(): Promise<void>;
}

/** A directory on the way from the root to where the walk is. */
interface Level {
  readonly name: Buffer;
  readonly identity: string;
  /** Still to be visited, as latin1 text, which is a third of the memory of a Buffer. */
  readonly subdirectories: string[];
}

const batchSize = 64;

/**
 * Visit everything below `root`, which stays the caller's. No link is followed. At any depth one directory is open: the
 * way back up is the kernel's `..`, taken only when it leads to the very directory we came from; when a caller moved a
 * directory meanwhile the walk ends with TREE_MOVED. Things that vanish on the way are left out.
 */
export async function walkTree(root: FileHandle, visitor: TreeVisitor): Promise<void> {
  let directory = await duplicate(root);
  try {
    const levels: Level[] = [];
    const above = () => levels.slice(1).map(({ name }) => name);
    await readLevel(levels, directory, Buffer.alloc(0), visitor, above);
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const next = level.subdirectories.pop();
      const child = next === undefined ? null : await enterDirectory(directory, Buffer.from(next, 'latin1'));
      if (next !== undefined && child) {
        await directory.close();
        directory = child;
        await readLevel(levels, directory, Buffer.from(next, 'latin1'), visitor, above);
      } else if (next === undefined) {
        levels.pop();
        const above = levels.at(-1);
        if (!above) return;
        const parent = await returnToParent(directory, above.identity);
        await directory.close();
        directory = parent;
        await visitor.leave?.(directory, level.name);
      }
    }
  } finally {
    await directory.close();
  }
}

/** The directory this one is in. Throws TREE_MOVED unless that is still the one with this identity. The caller closes it. */
export async function returnToParent(directory: FileHandle, identity: string): Promise<FileHandle> {
  const parent = await openParent(directory);
  if (identityOf(await parent.stat({ bigint: true })) === identity) return parent;
  await parent.close();
  throw treeMovedError();
}

/** A directory is not where it was a moment ago. */
export function treeMovedError(): AppError {
  return new AppError('aborted', 'TREE_MOVED', 'a directory was moved while its tree was walked');
}

/** Identifies a file or directory of this machine (device and inode). */
export function identityOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}`;
}

/** Go one level down: visit every entry of the directory and record its subdirectories. */
async function readLevel(
  levels: Level[],
  directory: FileHandle,
  name: Buffer,
  visitor: TreeVisitor,
  above: () => Segments,
): Promise<void> {
  const level: Level = { name, identity: identityOf(await directory.stat({ bigint: true })), subdirectories: [] };
  levels.push(level);
  for await (const batch of batchesOf(directory)) {
    const found = await Promise.all(batch.map(async (entry) => statEntry(directory, entry)));
    for (const item of found) {
      if (!item) continue;
      if (item.stats.isDirectory()) level.subdirectories.push(item.name.toString('latin1'));
      await visitor.entry(directory, item.name, item.stats, above);
    }
    await visitor.rest?.();
  }
}

/** The names in a directory, some at a time. */
export async function* batchesOf(directory: FileHandle): AsyncGenerator<Buffer[]> {
  let batch: Buffer[] = [];
  for await (const entry of await opendir(handlePath(directory), bufferNames)) {
    batch.push(nameOf(entry));
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** lstat of an entry; null when it is missing. */
export async function statEntry(
  directory: FileHandle,
  name: Buffer,
): Promise<{ readonly name: Buffer; readonly stats: BigIntStats } | null> {
  try {
    return { name, stats: await lstat(entryPath(directory, name), { bigint: true }) };
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}
