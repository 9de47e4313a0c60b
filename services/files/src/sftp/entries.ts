import type { BigIntStats } from 'node:fs';
import { chmod, readlink, rename, rmdir, statfs, utimes } from 'node:fs/promises';
import { isErrno } from '@panel/kit/errors';
import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../context.js';
import { createFileGuard } from '../domain/file-guard.js';
import { displayName, displayPath, type Segments } from '../domain/path.js';
import { grantFor, type SftpAccess } from '../domain/sftp-access.js';
import { mapFsErrors } from '../jail/errno.js';
import { type Location, locate, locateExisting, withCurrent } from '../jail/location.js';
import { moveWithoutReplacing } from '../jail/move.js';
import { duplicate, entryPath, handlePath } from '../jail/node.js';
import { resolve } from '../jail/resolve.js';
import { batchesOf, identityOf, statEntry } from '../jail/tree.js';
import { volumeOf } from '../volumes/volumes.js';
import { fail } from '../reasons.js';
import { deleteFiles } from '../usecases/files/delete-files.js';
import { requireNotIntoItself, requireNothingDenied, withWorkspace } from '../workspace/workspace.js';
import { saveVersion } from '../versions/save-version.js';
import { openSftpFile } from './open-file.js';

interface SftpTarget {
  readonly access: SftpAccess;
  readonly signal: AbortSignal;
  readonly path: Segments;
}

export interface NamedStats {
  readonly name: string;
  readonly stats: BigIntStats;
}

export async function statPath(
  context: FilesContext,
  { access, path, signal }: SftpTarget,
  options: { readonly followLast: boolean },
): Promise<BigIntStats> {
  const grant = grantFor(access, 'file.read');
  return withWorkspace(context, { grant, signal }, async ({ guard, root }) =>
    resolve(root, path, options, async ({ segments, stats }) => {
      for (const one of [path, segments]) guard.requireVisible(displayPath(one), stats.isDirectory());
      return stats;
    }),
  );
}

export async function readLink(context: FilesContext, { access, path, signal }: SftpTarget): Promise<string> {
  const grant = grantFor(access, 'file.read');
  return withWorkspace(context, { grant, signal }, async ({ guard, root }) =>
    locateExisting(root, path, 'path', async ({ directory, found, name, segments }) => {
      for (const one of [path, segments]) guard.requireVisible(displayPath(one), false);
      if (!found.stats.isSymbolicLink()) throw fail('NOT_A_FILE', 'this is not a symbolic link');
      return displayName(await readlink(entryPath(directory, name), { encoding: 'buffer' }));
    }),
  );
}

/** The directory stays open during iteration. Calls `access` per batch, as rights may change. */
export async function* readDirectory(
  context: FilesContext,
  { access, path, signal }: Omit<SftpTarget, 'access'> & { readonly access: () => SftpAccess },
): AsyncGenerator<NamedStats[]> {
  const currentGrant = () => grantFor(access(), 'file.read');
  const { directory, segments } = await withWorkspace(
    context,
    { grant: currentGrant(), signal },
    async ({ guard, root }) => {
      guard.check(displayPath(path), true);
      return resolve(root, path, { followLast: true }, async ({ node, segments, stats }) => {
        if (!stats.isDirectory()) throw fail('NOT_A_DIRECTORY', 'this is not a directory');
        guard.check(displayPath(segments), true);
        return { directory: await duplicate(node), segments };
      });
    },
  );
  try {
    yield [];
    for await (const batch of batchesOf(directory)) {
      const guard = createFileGuard(currentGrant());
      guard.check(displayPath(segments), true);
      const isHidden = (name: Buffer, isDirectory: boolean) =>
        guard.hides(displayPath([...segments, name]), isDirectory);
      const names = batch.filter((name) => !context.tempNames.isOurs(name));
      const found = await Promise.all(names.map(async (name) => statEntry(directory, name)));
      yield found.flatMap((entry) =>
        entry && !isHidden(entry.name, entry.stats.isDirectory())
          ? [{ name: displayName(entry.name), stats: entry.stats }]
          : [],
      );
    }
  } finally {
    await directory.close();
  }
}

/** Times in seconds since 1970. */
interface AttributeChanges {
  readonly mode?: number;
  readonly sizeBytes?: number;
  readonly times?: { readonly accessed: number; readonly modified: number };
}

export async function setAttributes(
  context: FilesContext,
  target: SftpTarget,
  { mode, sizeBytes, times }: AttributeChanges,
): Promise<void> {
  const { access, path, signal } = target;
  const grant = grantFor(access, 'file.update');
  if (sizeBytes !== undefined) await truncateFile(context, target, sizeBytes);
  if (mode === undefined && !times) return;
  await withWorkspace(context, { grant, signal }, async ({ guard, root }) =>
    resolve(root, path, { followLast: true }, async ({ node, segments, stats }) => {
      if (!stats.isFile() && !stats.isDirectory()) throw fail('NOT_A_FILE', 'this is neither a file nor a directory');
      for (const one of [path, segments]) guard.check(displayPath(one), stats.isDirectory());
      // /proc/self/fd resolves to the open inode
      if (mode !== undefined) await chmod(handlePath(node), mode & 0o777);
      if (times) await utimes(handlePath(node), times.accessed, times.modified);
    }),
  );
}

async function truncateFile(context: FilesContext, target: SftpTarget, sizeBytes: number): Promise<void> {
  const flags = { isRead: false, isWrite: true, isCreate: false, isTruncate: false, isExclusive: false };
  const { writer } = await openSftpFile(context, { ...target, flags, mode: 0 });
  try {
    await writer?.truncate(sizeBytes);
  } finally {
    await writer?.close();
  }
}

/** Throws NOT_A_FILE for a directory. */
export async function removeFile(context: FilesContext, { access, path, signal }: SftpTarget): Promise<void> {
  const grant = grantFor(access, 'file.delete');
  await withWorkspace(context, { grant, signal }, async ({ root }) =>
    locateExisting(root, path, 'path', async ({ found }) => {
      if (found.stats.isDirectory()) throw fail('NOT_A_FILE', 'this is a directory');
    }),
  );
  await deleteFiles(context, { grant, signal, paths: [path] });
}

/** Throws DIRECTORY_NOT_EMPTY. */
export async function removeDirectory(context: FilesContext, { access, path, signal }: SftpTarget): Promise<void> {
  const grant = grantFor(access, 'file.delete');
  await withWorkspace(context, { grant, signal }, async ({ guard, root }) =>
    locateExisting(root, path, 'path', async ({ directory, found, name, segments }) => {
      if (!found.stats.isDirectory()) throw fail('NOT_A_DIRECTORY', 'this is not a directory');
      for (const one of [path, segments]) guard.check(displayPath(one), true);
      try {
        await rmdir(entryPath(directory, name));
      } catch (error) {
        if (!isErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error;
        throw fail('DIRECTORY_NOT_EMPTY', 'the directory is not empty', {}, { cause: error });
      }
    }),
  );
}

/** Atomic; keeps the replaced text in the history. */
export async function replaceEntry(
  context: FilesContext,
  { access, path: from, signal }: SftpTarget,
  to: Segments,
): Promise<void> {
  const grant = grantFor(access, 'file.update');
  await withWorkspace(context, { grant, signal }, async ({ guard, root }) =>
    locateExisting(root, from, 'from', async (source) => {
      const isDirectory = source.found.stats.isDirectory();
      guard.check(displayPath(from), isDirectory);
      await requireNothingDenied(guard, source.found, source.segments);
      await locate(root, to, 'to', async (target) => {
        if (target.missing.length > 0) throw fail('FILE_NOT_FOUND', 'no such file or directory');
        guard.check(displayPath(to), isDirectory);
        await requireNothingDenied(guard, source.found, target.segments);
        if (isDirectory) guard.requireUniformBelow(displayPath(target.segments));
        if (isDirectory) requireNotIntoItself(source, target, 'to');
        const key = `${grant.serverId}/${displayPath(target.segments)}`;
        await context.fileMutex.run(key, async () =>
          withCurrent(target, async (found) => replaceFound(context, grant, source, { ...target, found })),
        );
      });
    }),
  );
}

async function replaceFound(
  { usage, versions }: FilesContext,
  grant: FileGrant,
  source: Location & { readonly found: NonNullable<Location['found']> },
  target: Location,
): Promise<void> {
  const isDirectory = source.found.stats.isDirectory();
  if (!target.found) return moveWithoutReplacing(source, target, isDirectory);
  if (isDirectory || target.found.stats.isDirectory()) {
    throw fail('FILE_EXISTS', 'there is something of this name already');
  }
  // rename(2) has no effect then
  if (identityOf(source.found.stats) === identityOf(target.found.stats)) return;
  if (target.found.stats.isFile()) {
    await saveVersion({ usage, versions }, grant, `/${displayPath(target.segments)}`, target.found.node);
  }
  await rename(entryPath(source.directory, source.name), entryPath(target.directory, target.name));
  usage.free(grant.serverId, target.found.stats);
}

interface VolumeSpace {
  readonly totalBytes: number;
  readonly freeBytes: number;
}

/** The disk limit, or else the node's disk. */
export async function readSpace(context: FilesContext, { grant }: SftpAccess): Promise<VolumeSpace> {
  return mapFsErrors(async () =>
    context.volumes.open(volumeOf(grant.serverId), async (root) => {
      const { bavail, blocks, bsize } = await statfs(handlePath(root));
      const [nodeFree, nodeTotal] = [bavail * bsize, blocks * bsize];
      if (grant.diskLimitBytes === 0) return { totalBytes: nodeTotal, freeBytes: nodeFree };
      const used = await context.usage.read(grant.serverId, grant.ownerId);
      const free = Math.max(0, Math.min(grant.diskLimitBytes - used, nodeFree));
      return { totalBytes: grant.diskLimitBytes, freeBytes: free };
    }),
  );
}
