import { type FileHandle, link, lstat, mkdir, open } from 'node:fs/promises';
import { isErrno } from '@panel/kit/errors';
import { chownTo } from '../jail/directories.js';
import { copyLink } from '../jail/move.js';
import { entryPath, openDirectory, openTrusted, withHandle } from '../jail/node.js';
import { ifExists } from '../jail/paths.js';
import { volumeOf } from '../volumes/volumes.js';
import { walkTree } from '../jail/tree.js';
import type { BackupDeps } from './backup-deps.js';

const permissionBits = 0o777n;
/** Of a path in one call; PATH_MAX is 4,096. */
const maxStepBytes = 2_048;

/**
 * Links (link(2)) files that a restored tree lacks, without using space. The tree wins: adds nothing below a
 * non-directory. Paths are safe, as only this process reaches the tree, while no step is a link.
 */
export async function keepOtherFiles(
  { volumes, tempNames }: BackupDeps,
  serverId: string,
  tree: string,
  signal: AbortSignal,
): Promise<void> {
  /** Volume directories (latin1) that are no directory in the tree. */
  const hidden = new Set<string>();
  await withHandle(await openTrusted(tree), async (staging) =>
    volumes.open(volumeOf(serverId), async (root) =>
      walkTree(root, {
        entry: async (directory, name, stats, above) => {
          const parents = above();
          const parent = parents.map((part) => part.toString('latin1')).join('/');
          const own = parent === '' ? name.toString('latin1') : `${parent}/${name.toString('latin1')}`;
          if (hidden.has(parent)) {
            if (stats.isDirectory()) hidden.add(own);
            return;
          }
          await withTarget(staging, Buffer.from(own, 'latin1'), async (target) => {
            const there = await kindOf(target);
            if (stats.isDirectory()) {
              if (there === 'other') hidden.add(own);
              if (there === 'nothing') await copyDirectory(directory, name, target);
            } else if (there === 'nothing' && !tempNames.isOurs(name) && !stats.isSocket()) {
              await linkOrCopy(entryPath(directory, name), target);
            }
          });
        },
        rest: async () => signal.throwIfAborted(),
      }),
    ),
  );
}

/** A game may have made paths of any length: opens directories on the way. */
async function withTarget(tree: FileHandle, path: Buffer, use: (target: Buffer) => Promise<void>): Promise<void> {
  if (path.length <= maxStepBytes) return use(entryPath(tree, path));
  const end = path.lastIndexOf('/', maxStepBytes);
  return withHandle(await openDirectory(tree, path.subarray(0, end)), async (next) =>
    withTarget(next, path.subarray(end + 1), use),
  );
}

/** Files without quota project (EXDEV): recreates a link, skips a pipe or device. */
async function linkOrCopy(source: Buffer, target: Buffer): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    if (!isErrno(error, 'EXDEV')) throw error;
    await copyLink(source, target);
  }
}

async function kindOf(target: Buffer): Promise<'nothing' | 'directory' | 'other'> {
  const stats = await ifExists(async () => lstat(target));
  if (!stats) return 'nothing';
  return stats.isDirectory() ? 'directory' : 'other';
}

async function copyDirectory(directory: FileHandle, name: Buffer, target: Buffer): Promise<void> {
  await mkdir(target, 0o700);
  await withHandle(await openDirectory(directory, name), async (source) => {
    const { mode, uid, gid } = await source.stat({ bigint: true });
    await withHandle(await open(target, 'r'), async (copy) => {
      await chownTo(copy, { uid: Number(uid), gid: Number(gid) });
      await copy.chmod(Number(mode & permissionBits));
    });
  });
}
