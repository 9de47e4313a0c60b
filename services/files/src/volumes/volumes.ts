import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, readdir, rename, statfs, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { isErrno, messageOf } from '@panel/kit/errors';
import { ConfigError } from '@panel/kit/process';
import type { Owner } from '../jail/owner.js';
import { inodeIdentity } from '../jail/inode-identity.js';
import { fail } from '../reasons.js';
import { syncDirectory } from '../jail/atomic-write.js';
import { withHandle, entryPath, handlePath, openDirectory, openTrusted, openUnlinked } from '../jail/node.js';
import { parsePath } from '../domain/path.js';
import { uuid } from '../domain/server-id.js';
import { removeTree } from '../jail/remove-tree.js';
import { enterDirectory } from '../jail/resolve.js';
import { batchesOf } from '../jail/tree.js';
import { bindDirectory } from './bound-directory.js';

export interface Volume {
  readonly path: string;
  readonly owner: Owner;
}

/** On the disk of the start: all throw DATA_ROOT_GONE. */
export interface Volumes {
  /** Idempotent. */
  create(serverId: string): Promise<Volume>;
  /** Throws VOLUME_NOT_FOUND. */
  find(serverId: string): Promise<Volume>;
  /** To the trash; the returned work frees its bytes. Null when missing. */
  detach(serverId: string): Promise<((signal: AbortSignal) => Promise<void>) | null>;
  /** Of an open directory (a link itself); removes immovable entries at once. */
  discard(
    directory: FileHandle,
    name: Buffer,
    signal: AbortSignal,
  ): Promise<((signal: AbortSignal) => Promise<void>) | null>;
  purgeTrash(signal: AbortSignal): Promise<void>;
  list(): Promise<string[]>;
  /** `volume` e.g. "servers/<id>". Throws VOLUME_NOT_FOUND. */
  open<T>(volume: string, use: (root: FileHandle) => Promise<T>): Promise<T>;
  /** The caller closes it. Throws VOLUME_NOT_FOUND. */
  openRoot(volume: string): Promise<FileHandle>;
  occupant(serverId: string): Promise<'nothing' | 'empty volume' | 'volume'>;
  /** `inodeIdentity`; null when missing. */
  identify(serverId: string): Promise<string | null>;
  /** One durable rename; false for a non-empty volume. */
  adopt(serverId: string, directory: FileHandle, name: Buffer): Promise<boolean>;
  canAdoptFrom(directory: FileHandle): Promise<boolean>;
  /** As usable by this process. */
  space(): Promise<{ readonly freeBytes: number; readonly totalBytes: number }>;
  /** Rejects also when the data root is not writable. */
  check(): Promise<void>;
}

export const volumesName = 'servers';
const trashName = 'trash';
const transfersName = 'transfers';
const creationsName = 'creations';
const deletedName = 'deleted';
const versionsName = 'versions';
const restoresName = 'restores';
const uploadsName = 'uploads';
/** Another file system, or a directory its owner made read-only. */
const immovable = ['EXDEV', 'EACCES'];

/** Relative to the data root. */
export function volumeOf(serverId: string): string {
  return `${volumesName}/${serverId}`;
}

export function transfersDirectory(dataRoot: string): string {
  return path.join(dataRoot, transfersName);
}

/** For restorable deleted entries. */
export function deletedDirectory(dataRoot: string): string {
  return path.join(dataRoot, deletedName);
}

export function versionsDirectory(dataRoot: string): string {
  return path.join(dataRoot, versionsName);
}

export function uploadsDirectory(dataRoot: string): string {
  return path.join(dataRoot, uploadsName);
}

export function restoresDirectory(dataRoot: string): string {
  return path.join(dataRoot, restoresName);
}

export function creationsDirectory(dataRoot: string): string {
  return path.join(dataRoot, creationsName);
}

/** Games (another user) can traverse the data root, but not list it. Throws ConfigError. */
export async function openVolumes(dataRoot: string, owner: Owner): Promise<Volumes> {
  await prepare(dataRoot);
  const bound = await bindDirectory(dataRoot, 'the data root of the node');
  const inRoot = async <T>(name: string, use: (directory: FileHandle) => Promise<T>) => {
    await bound.assertSame();
    return withHandle(await openTrusted(path.join(dataRoot, name)), use);
  };
  const openRoot = async (volume: string) => {
    await bound.assertSame();
    return openVolume(dataRoot, volume);
  };
  const volumeAt = (serverId: string): Volume => ({ path: path.join(dataRoot, volumeOf(serverId)), owner });
  const clear = async (name: Buffer, signal: AbortSignal) =>
    inRoot(trashName, async (trash) => removeTree(trash, name, signal));
  const toTrash = async (directory: FileHandle, name: Buffer) => {
    const trashed = Buffer.from(randomUUID());
    const isMoved = await inRoot(trashName, async (trash) =>
      moveIfThere(entryPath(directory, name), entryPath(trash, trashed)),
    );
    return isMoved ? async (signal: AbortSignal) => clear(trashed, signal) : null;
  };
  return {
    create: async (serverId) => {
      await inRoot(volumesName, async (servers) => createVolume(servers, Buffer.from(serverId), owner));
      return volumeAt(serverId);
    },
    find: async (serverId) => {
      await withHandle(await openRoot(volumeOf(serverId)), async () => undefined);
      return volumeAt(serverId);
    },
    detach: async (serverId) => {
      const name = Buffer.from(serverId);
      try {
        return await inRoot(volumesName, async (servers) => toTrash(servers, name));
      } catch (error) {
        if (!isErrno(error, ...immovable)) throw error;
        return async (signal) => inRoot(volumesName, async (servers) => removeTree(servers, name, signal));
      }
    },
    discard: async (directory, name, signal) => {
      try {
        return await toTrash(directory, name);
      } catch (error) {
        if (!isErrno(error, ...immovable)) throw error;
        await removeTree(directory, name, signal);
        return null;
      }
    },
    purgeTrash: async (signal) => {
      await bound.assertSame();
      const names = await readdir(path.join(dataRoot, trashName), { encoding: 'buffer' });
      for (const name of names) await clear(name, signal);
    },
    list: async () => {
      await bound.assertSame();
      return (await readdir(path.join(dataRoot, volumesName))).filter((name) => uuid.test(name));
    },
    open: async (volume, use) => withHandle(await openRoot(volume), use),
    openRoot,
    occupant: async (serverId) => inRoot(volumesName, async (servers) => occupantOf(servers, Buffer.from(serverId))),
    identify: async (serverId) => {
      const volume = await inRoot(volumesName, async (servers) => enterDirectory(servers, Buffer.from(serverId)));
      return volume && withHandle(volume, inodeIdentity);
    },
    adopt: async (serverId, directory, name) =>
      inRoot(volumesName, async (servers) => {
        if (!(await moveUnlessTaken(entryPath(directory, name), entryPath(servers, Buffer.from(serverId)))))
          return false;
        await syncDirectory(servers);
        await syncDirectory(directory);
        return true;
      }),
    canAdoptFrom: async (directory) =>
      inRoot(volumesName, async (servers) => (await servers.stat()).dev === (await directory.stat()).dev),
    space: async () => {
      await bound.assertSame();
      const { bavail, blocks, bsize } = await statfs(path.join(dataRoot, volumesName));
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    },
    check: async () => {
      await bound.assertSame();
      await access(path.join(dataRoot, volumesName), constants.W_OK | constants.X_OK);
    },
  };
}

async function prepare(dataRoot: string): Promise<void> {
  try {
    await mkdir(dataRoot, { recursive: true, mode: 0o755 });
    for (const [name, mode] of [
      [volumesName, 0o711],
      [trashName, 0o700],
      [transfersName, 0o700],
      [deletedName, 0o700],
      [versionsName, 0o700],
      [restoresName, 0o700],
      [uploadsName, 0o700],
    ] as const) {
      await mkdir(path.join(dataRoot, name), { recursive: true, mode });
      await access(path.join(dataRoot, name), constants.W_OK | constants.X_OK);
    }
    const root = await openTrusted(dataRoot);
    // fails without /proc/self/fd, required by the jail
    await withHandle(root, async () => access(handlePath(root)));
  } catch (error) {
    throw new ConfigError([
      `DATA_ROOT cannot be used (${messageOf(error)}): it must be a directory this user may write to, on Linux with /proc`,
    ]);
  }
}

async function createVolume(servers: FileHandle, name: Buffer, owner: Owner): Promise<void> {
  try {
    await mkdir(entryPath(servers, name), 0o750);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  }
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;
  await withHandle(await open(entryPath(servers, name), flags), async (volume) => {
    await volume.chmod(0o750);
    const stats = await volume.stat();
    if (stats.uid !== owner.uid || stats.gid !== owner.gid) await volume.chown(owner.uid, owner.gid);
  });
}

async function occupantOf(servers: FileHandle, name: Buffer): Promise<'nothing' | 'empty volume' | 'volume'> {
  try {
    return await withHandle(await openDirectory(servers, name), async (volume) => {
      for await (const batch of batchesOf(volume)) if (batch.length > 0) return 'volume';
      return 'empty volume';
    });
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return 'nothing';
    // a foreign link or file, not to be replaced
    if (isErrno(error, 'ENOTDIR', 'ELOOP')) return 'volume';
    throw error;
  }
}

/** rename(2) replaces only an empty directory, atomically. */
async function moveUnlessTaken(from: Buffer, to: Buffer): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isErrno(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) return false;
    throw error;
  }
}

async function moveIfThere(from: Buffer, to: Buffer): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Follows no link as the last name. The caller closes it. */
async function openVolume(dataRoot: string, volume: string): Promise<FileHandle> {
  const names = parsePath(volume, 'volume');
  if (names.length === 0) throw fail('VOLUME_NOT_FOUND', 'the server has no directory on this node');
  try {
    return await openUnlinked(path.join(dataRoot, ...names.map(String)));
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw error;
    throw fail('VOLUME_NOT_FOUND', 'the server has no directory on this node', {}, { cause: error });
  }
}
