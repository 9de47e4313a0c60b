import { chmod, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { isAppError, isErrno } from '@panel/kit/errors';
import { withHandle, entryPath, handlePath, openDirectory } from './node.js';
import { walkTree } from './tree.js';

/** The game may write meanwhile. */
const maxRounds = 5;

/**
 * A file, a link (not its target), or a directory. Idempotent. Throws ENOTEMPTY when others fill it faster, and the
 * reason of `signal`.
 */
export async function removeTree(directory: FileHandle, name: Buffer, signal: AbortSignal): Promise<void> {
  for (let round = 1; ; round += 1) {
    try {
      if (await removeFile(directory, name)) return;
      await withHandle(await openDirectory(directory, name), async (tree) => {
        await makeAccessible(tree);
        await emptyDirectory(tree, signal);
      });
      await rmdir(entryPath(directory, name));
      return;
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return;
      const isChanging = isErrno(error, 'ENOTEMPTY', 'ENOTDIR') || isAppError(error, 'TREE_MOVED');
      if (!isChanging || round === maxRounds) throw error;
    }
  }
}

async function emptyDirectory(root: FileHandle, signal: AbortSignal): Promise<void> {
  await walkTree(root, {
    entry: async (parent, name, stats) => {
      if (!stats.isDirectory()) await ignoringMissing(unlink(entryPath(parent, name)));
      else if (!isAccessible(stats.mode)) await ignoringMissing(openUp(parent, name));
    },
    leave: async (parent, name) => ignoringMissing(rmdir(entryPath(parent, name))),
    rest: async () => signal.throwIfAborted(),
  });
}

const ownerBits = 0o700n;

function isAccessible(mode: bigint): boolean {
  return (mode & ownerBits) === ownerBits;
}

async function openUp(parent: FileHandle, name: Buffer): Promise<void> {
  await withHandle(await openDirectory(parent, name), makeAccessible);
}

/** Games may remove permissions that a non-root process needs. */
async function makeAccessible(directory: FileHandle): Promise<void> {
  if (!isAccessible((await directory.stat({ bigint: true })).mode))
    await chmod(handlePath(directory), Number(ownerBits));
}

/** False for a directory. */
async function removeFile(directory: FileHandle, name: Buffer): Promise<boolean> {
  try {
    await unlink(entryPath(directory, name));
    return true;
  } catch (error) {
    // Linux: EISDIR; POSIX and some network file systems: EPERM
    if (isErrno(error, 'EISDIR', 'EPERM')) return false;
    throw error;
  }
}

async function ignoringMissing(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
}
