import { chmod, link, mkdir, utimes } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { isErrno } from '@panel/kit';
import { entryPath } from '../jail/node.js';
import { walkTree } from '../jail/tree.js';
import type { ScannedTree } from './scan-tree.js';

const permissionBits = 0o777n;

/**
 * Give the files of a volume further names (link(2)) in a directory of our own, in the same order of directories. A program
 * that follows paths, as restic does, then reads a tree that no game can turn into links meanwhile. Costs no room.
 */
export async function linkTree(
  root: FileHandle,
  { excluded }: Pick<ScannedTree, 'excluded'>,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const left = new Set(excluded);
  /** Modes and times of directories change with what is put into them. */
  const directories: { path: Buffer; mode: number; modifiedAt: Date }[] = [];
  await walkTree(root, {
    entry: async (directory, name, stats, above) => {
      const parent = above()
        .map((part) => part.toString('latin1'))
        .join('/');
      const own = parent === '' ? name.toString('latin1') : `${parent}/${name.toString('latin1')}`;
      if (left.has(parent) || left.has(own)) {
        left.add(own);
        return;
      }
      const path = Buffer.concat([Buffer.from(`${target}/`), Buffer.from(own, 'latin1')]);
      if (stats.isDirectory()) {
        await mkdir(path, 0o700);
        directories.push({ path, mode: Number(stats.mode & permissionBits), modifiedAt: stats.mtime });
      } else if (stats.isFile() || stats.isSymbolicLink()) {
        await linkIfThere(entryPath(directory, name), path);
      }
    },
    rest: async () => signal.throwIfAborted(),
  });
  for (const { path, mode, modifiedAt } of directories.toReversed()) {
    await utimes(path, modifiedAt, modifiedAt);
    // readable by us in any case
    await chmod(path, mode | 0o500);
  }
}

async function linkIfThere(from: Buffer, to: Buffer): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    // removed meanwhile, or in a directory that appeared after its own was read
    if (!isErrno(error, 'ENOENT', 'EPERM')) throw error;
  }
}
