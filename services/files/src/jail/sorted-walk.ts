import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { fail } from '../reasons.js';
import { duplicate } from './node.js';
import { enterDirectory } from './resolve.js';
import { displayName, maxPathBytes } from '../domain/path.js';
import { batchesOf, identityOf, returnToParent, statEntry, treeMovedError } from './tree.js';

export interface WalkedEntry {
  /** Open until the next entry. */
  readonly directory: FileHandle;
  readonly name: Buffer;
  /** From the root, `/`-separated. */
  readonly path: Buffer;
  readonly stats: BigIntStats;
}

/** In memory, about 100 MB; sorting needs whole directories. */
const maxHeldNames = 1_000_000;
const batchSize = 64;

interface Level {
  readonly path: Buffer;
  readonly identity: string;
  /** To visit, last first; latin1 takes a third of a Buffer's memory and sorts by byte. */
  readonly names: string[];
  /** Inspected. */
  ahead: Omit<WalkedEntry, 'directory'>[];
}

/**
 * In an order that depends on names only: a directory before its contents, names by byte. `root` is borrowed. Like
 * `walkTree`: follows no link, holds one directory open, skips vanished entries. Throws TREE_MOVED, and
 * TREE_UNSUPPORTED for a path over `maxPathBytes` or too many names.
 */
export async function* walkSorted(root: FileHandle, maxNames = maxHeldNames): AsyncGenerator<WalkedEntry, undefined> {
  let directory = await duplicate(root);
  try {
    const levels = [await readLevel(directory, Buffer.alloc(0), maxNames)];
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const entry = await nextOf(level, directory);
      if (entry) {
        yield { directory, ...entry };
        if (!entry.stats.isDirectory()) continue;
        const child = await enterSame(directory, entry.name, entry.stats);
        await directory.close();
        directory = child;
        levels.push(await readLevel(directory, entry.path, maxNames - heldNames(levels)));
      } else {
        levels.pop();
        const above = levels.at(-1);
        if (!above) return undefined;
        const parent = await returnToParent(directory, above.identity);
        await directory.close();
        directory = parent;
      }
    }
    return undefined;
  } finally {
    await directory.close();
  }
}

function heldNames(levels: readonly Level[]): number {
  return levels.reduce((sum, { names }) => sum + names.length, 0);
}

async function readLevel(directory: FileHandle, path: Buffer, maxNames: number): Promise<Level> {
  const names: string[] = [];
  for await (const batch of batchesOf(directory)) {
    for (const name of batch) names.push(name.toString('latin1'));
    if (names.length > maxNames) throw unsupported(path, 'holds too many names');
  }
  names.sort().reverse();
  return { path, identity: identityOf(await directory.stat({ bigint: true })), names, ahead: [] };
}

/** Inspects a batch in parallel. */
async function nextOf(level: Level, directory: FileHandle): Promise<Omit<WalkedEntry, 'directory'> | undefined> {
  while (level.ahead.length === 0 && level.names.length > 0) {
    const names = level.names.splice(-batchSize).map((name) => Buffer.from(name, 'latin1'));
    const found = await Promise.all(names.map(async (name) => statEntry(directory, name)));
    level.ahead = found
      .filter((item) => item !== null)
      .map((item) => ({ ...item, path: pathOf(level.path, item.name) }));
  }
  return level.ahead.pop();
}

function pathOf(above: Buffer, name: Buffer): Buffer {
  const path = above.length === 0 ? name : Buffer.concat([above, Buffer.from('/'), name]);
  if (path.length > maxPathBytes) throw unsupported(above, 'holds a path that is too long');
  return path;
}

function unsupported(path: Buffer, problem: string) {
  return fail('TREE_UNSUPPORTED', `a directory ${problem}`, { path: displayName(path).slice(0, 256) });
}

/** Throws TREE_MOVED for another directory. */
async function enterSame(directory: FileHandle, name: Buffer, stats: BigIntStats): Promise<FileHandle> {
  const child = await enterDirectory(directory, name);
  if (!child) throw treeMovedError();
  if (identityOf(await child.stat({ bigint: true })) === identityOf(stats)) return child;
  await child.close();
  throw treeMovedError();
}
