import { chmod, link, mkdir, utimes } from 'node:fs/promises';
import path from 'node:path';
import { isAppError, isErrno } from '@panel/kit/errors';
import { entryPath, openTrusted, withHandle } from '../../jail/node.js';
import { removeTree } from '../../jail/remove-tree.js';
import { startProgram } from '../storage/backup-program.js';
import type { BackupSource } from '../storage/backup-storage.js';
import { maxPathBytes } from '../../domain/path.js';
import { pathTooLong, type ScannedTree, type ScanVisitor } from '../storage/scan-tree.js';

const permissionBits = 0o777n;

/**
 * Links (link(2)) a volume's files into a private directory in the same order, using no space: path-based programs like
 * restic then read a tree in which games cannot plant symbolic links. Throws TREE_UNSUPPORTED for a path that is too long
 * below the directory.
 */
export async function linkTree(
  scan: BackupSource['scan'],
  target: string,
  { signal, onArchived }: Pick<BackupSource, 'signal' | 'onArchived'>,
): Promise<ScannedTree> {
  /** Of the current batch. */
  let links: Promise<void>[] = [];
  /** Restored at the end: adding entries changes modes and times. */
  const directories: { at: Buffer; mode: number; modifiedAt: Date }[] = [];
  const visitor: ScanVisitor = {
    entry: async (directory, name, stats, path) => {
      const at = Buffer.concat([Buffer.from(`${target}/`), Buffer.from(path, 'latin1')]);
      if (at.length >= maxPathBytes) throw pathTooLong(path);
      if (stats.isDirectory()) {
        await mkdir(at, 0o700);
        directories.push({ at, mode: Number(stats.mode & permissionBits), modifiedAt: stats.mtime });
      } else {
        const made = linkIfThere(entryPath(directory, name), at);
        // may fail before the batch is awaited
        made.catch(() => undefined);
        links.push(made);
      }
    },
    rest: async () => {
      await Promise.all(links);
      links = [];
      signal.throwIfAborted();
      onArchived(0);
    },
  };
  let tree: ScannedTree;
  try {
    tree = await scan(visitor);
  } finally {
    await Promise.allSettled(links);
  }
  for (const { at, mode, modifiedAt } of directories.toReversed()) {
    await utimes(at, modifiedAt, modifiedAt);
    // always readable by us
    await chmod(at, mode | 0o500);
  }
  return tree;
}

/** `rm` is several times faster than this process, but fails at read-only directories. */
export async function removeLinkTree(target: string): Promise<void> {
  const never = new AbortController().signal;
  const program = startProgram(['rm', '-rf', '--', target], { signal: never });
  program.stdin.end();
  program.stdout.resume();
  try {
    await program.finished;
  } catch (error) {
    if (!isAppError(error, 'BACKUP_TOOL_FAILED')) throw error;
    await withHandle(await openTrusted(path.dirname(target)), async (parent) =>
      removeTree(parent, Buffer.from(path.basename(target)), never),
    );
  }
}

async function linkIfThere(from: Buffer, to: Buffer): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    // removed meanwhile, or its directory is new
    if (!isErrno(error, 'ENOENT', 'EPERM')) throw error;
  }
}
