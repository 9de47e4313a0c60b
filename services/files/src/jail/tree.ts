import { type BigIntStats, lstatSync } from 'node:fs';
import { lstat, opendir, type FileHandle } from 'node:fs/promises';
import { AppError, isErrno } from '@panel/kit/errors';
import { duplicate, entryPath, handlePath, openParent } from './node.js';
import type { Segments } from '../domain/path.js';
import { bufferNames, enterDirectory, nameOf } from './resolve.js';

interface TreeVisitor {
  /** A directory comes before its contents. `above`: names from the root to `directory`. A failure ends the walk. */
  entry(directory: FileHandle, name: Buffer, stats: BigIntStats, above: () => Segments): Promise<void> | void;
  /** After the contents of directory `name`. */
  leave?(directory: FileHandle, name: Buffer): Promise<void>;
  /** Between batches; may pause or throw. */
  rest?(): Promise<void>;
}

interface Level {
  readonly name: Buffer;
  readonly identity: string;
  /** To visit; latin1 takes a third of a Buffer's memory. */
  readonly subdirectories: string[];
}

const batchSize = 64;

/**
 * `root` is borrowed. Follows no link and skips vanished entries. Holds one directory open and returns by the kernel's
 * `..`, if it is the directory it came from. Throws TREE_MOVED for a directory moved meanwhile.
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

/** Throws TREE_MOVED for another parent. The caller closes it. */
export async function returnToParent(directory: FileHandle, identity: string): Promise<FileHandle> {
  const parent = await openParent(directory);
  if (identityOf(await parent.stat({ bigint: true })) === identity) return parent;
  await parent.close();
  throw treeMovedError();
}

export function treeMovedError(): AppError {
  return new AppError('aborted', 'TREE_MOVED', 'a directory was moved while its tree was walked');
}

/** By device and inode. */
export function identityOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}`;
}

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

/** How a directory is read: on the event loop or in a thread. */
export interface DirectoryReading {
  /** Gets the number of entries that were read, before the next ones; throws to end the read. */
  checkpoint(entries: number): void;
  /** Without missing ones. */
  stat(directory: FileHandle, names: readonly Buffer[]): Promise<readonly StatedEntry[]> | readonly StatedEntry[];
}

export interface StatedEntry {
  readonly name: Buffer;
  readonly stats: BigIntStats;
}

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

/** Null when missing. */
export async function statEntry(directory: FileHandle, name: Buffer): Promise<StatedEntry | null> {
  try {
    return { name, stats: await lstat(entryPath(directory, name), { bigint: true }) };
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Without missing ones. */
export async function statEntries(directory: FileHandle, names: readonly Buffer[]): Promise<StatedEntry[]> {
  const found = await Promise.all(names.map(async (name) => statEntry(directory, name)));
  return found.filter((entry) => entry !== null);
}

/** Blocks. Null when missing. */
export function statEntrySync(directory: Pick<FileHandle, 'fd'>, name: Buffer): StatedEntry | null {
  try {
    return { name, stats: lstatSync(entryPath(directory, name), { bigint: true }) };
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}
