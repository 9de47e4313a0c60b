import { type BigIntStats, closeSync, fstatSync, openSync, readdirSync } from 'node:fs';
import { isErrno } from '@panel/kit/errors';
import { maxPathBytes } from '../domain/path.js';
import { directoryFlags, entryPath, followedDirectoryFlags, handlePath, parentPath } from './node.js';
import { identityOf, statEntrySync, treeMovedError } from './tree.js';

export interface WalkedSync {
  /** Open until the next entry. */
  readonly directoryFd: number;
  readonly name: Buffer;
  /** From the root, `/`-separated; latin1. */
  readonly path: string;
  readonly stats: BigIntStats;
}

interface Level {
  readonly path: string;
  readonly identity: string;
  /** To visit, last first; latin1 sorts by byte. */
  readonly names: string[];
}

/**
 * As `walkSorted`, with system calls that block: for threads, where they take a tenth of the CPU. Leaves out paths over
 * `maxPathBytes`. The caller keeps `rootFd` open. Throws TREE_MOVED.
 */
export function* walkSortedSync(rootFd: number): Generator<WalkedSync, undefined> {
  let directoryFd = openSync(handlePath({ fd: rootFd }), followedDirectoryFlags);
  const enter = (next: number) => {
    closeSync(directoryFd);
    directoryFd = next;
  };
  try {
    const levels = [readLevel(directoryFd, '')];
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const next = level.names.pop();
      if (next === undefined) {
        levels.pop();
        const above = levels.at(-1);
        if (above) enter(openSame(parentPath({ fd: directoryFd }), followedDirectoryFlags, above.identity));
        continue;
      }
      const name = Buffer.from(next, 'latin1');
      const path = level.path === '' ? next : `${level.path}/${next}`;
      const stats = path.length > maxPathBytes ? undefined : statEntrySync({ fd: directoryFd }, name)?.stats;
      if (!stats) continue;
      yield { directoryFd, name, path, stats };
      if (!stats.isDirectory()) continue;
      enter(openSame(entryPath({ fd: directoryFd }, name), directoryFlags, identityOf(stats)));
      levels.push(readLevel(directoryFd, path));
    }
    return undefined;
  } finally {
    closeSync(directoryFd);
  }
}

function readLevel(fd: number, path: string): Level {
  const names = readdirSync(handlePath({ fd }), { encoding: 'latin1' });
  return { path, identity: identityOf(fstatSync(fd, { bigint: true })), names: names.sort().reverse() };
}

function openSame(path: string | Buffer, flags: number, identity: string): number {
  const fd = openDirectory(path, flags);
  if (fd !== null && identityOf(fstatSync(fd, { bigint: true })) === identity) return fd;
  if (fd !== null) closeSync(fd);
  throw treeMovedError();
}

function openDirectory(path: string | Buffer, flags: number): number | null {
  try {
    return openSync(path, flags);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return null;
    throw error;
  }
}
