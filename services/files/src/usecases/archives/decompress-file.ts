import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { isErrno } from '@panel/kit';
import { type ArchiveEntry, readArchive } from '../../archives/read-archive.js';
import type { FilesContext } from '../../context.js';
import { maxArchiveEntries, parseEntryName, requirePlausibleRatio, unsafeError } from '../../domain/archive-entry.js';
import { allocatedSize, blockBytes } from '../../domain/disk-size.js';
import { displayPath, type Segments } from '../../domain/path.js';
import { syncDirectory } from '../../jail/atomic-write.js';
import { chownTo, withDirectories } from '../../jail/directories.js';
import { locate } from '../../jail/location.js';
import { moveWithoutReplacing } from '../../jail/move.js';
import { entryPath, openDirectory, withHandle } from '../../jail/node.js';
import { resolveParent } from '../../jail/resolve.js';
import type { Reservation } from '../../jail/usage.js';
import { fail } from '../../reasons.js';
import { openFile } from '../files/read-file.js';
import { type FileAccess, withWorkspace, type Workspace } from '../files/workspace.js';
import type { OperationProgress } from '../operations/file-operations.js';
import { runAsTask } from '../run-as-task.js';

const spaceCheckBytes = 16 * 1024 * 1024;
const permissionBits = 0o777;

export interface DecompressInput extends FileAccess {
  readonly path: string;
  /** Directory to extract into; made if missing. */
  readonly target: Segments;
  readonly isOverwriting: boolean;
}

/** What was extracted into the staging directory. */
interface Staged {
  readonly directories: Segments[];
  readonly files: Segments[];
}

/**
 * Extract an archive. Everything goes to a staging directory first and is moved to its place only when the whole archive was
 * read and found safe. Throws ARCHIVE_INVALID, ARCHIVE_UNSAFE, ARCHIVE_LIMIT, DISK_LIMIT, NODE_DISK_LOW, FILE_DENIED, and
 * FILE_EXISTS (with `path`) for an existing file unless `isOverwriting`.
 */
export async function decompressFile(
  context: FilesContext,
  { path, target, isOverwriting, ...access }: DecompressInput,
  progress: OperationProgress,
): Promise<void> {
  const { owner, tempNames, volumes, tasks, usage } = context;
  const { grant } = access;
  progress.path = `/${displayPath(target)}`;
  await withWorkspace(context, access, async (workspace) => {
    const { file, entry } = await openFile(context, { ...access, path });
    await withHandle(file, async () =>
      resolveParent(workspace.root, target, async ({ directory, missing, segments }) =>
        withDirectories(directory, missing, owner, async (destination) => {
          const reservation = await usage.reserve(grant.serverId, grant.diskLimitBytes);
          const stagingName = tempNames.take();
          try {
            await mkdir(entryPath(destination, stagingName), 0o700);
            await withHandle(await openDirectory(destination, stagingName), async (staging) => {
              const extraction = { context, workspace, reservation, progress, archiveBytes: entry.sizeBytes };
              const staged = await extractAll(file, staging, [...segments, ...missing], extraction);
              await moveAll({ staged, staging, destination, isOverwriting }, context, workspace);
            });
            reservation.commit(0);
          } finally {
            reservation.release();
            const remove = await volumes.discard(destination, stagingName, tasks.signal);
            if (remove) await runAsTask(tasks, 'remove an extraction', remove);
            tempNames.release(stagingName);
            usage.expire(grant.serverId);
          }
        }),
      ),
    );
  });
}

interface Extraction {
  readonly context: FilesContext;
  readonly workspace: Workspace;
  readonly reservation: Reservation;
  readonly progress: OperationProgress;
  readonly archiveBytes: number;
}

async function extractAll(
  archive: FileHandle,
  staging: FileHandle,
  target: Segments,
  extraction: Extraction,
): Promise<Staged> {
  const { context, workspace, progress } = extraction;
  const { signal, guard } = workspace;
  const user = process.getuid?.() === 0 ? context.owner : null;
  const staged: Staged = { directories: [], files: [] };
  const seen = new Set<string>();
  const room = { heldBytes: 0, checkedUpTo: 0 };
  let entries = 0;
  for await (const entry of readArchive(archive, { user, signal })) {
    signal.throwIfAborted();
    const names = entry.kind === 'other' ? [] : parseEntryName(entry.name);
    if (entry.kind === 'other') throw unsafeError(entry.name, 'a link or device');
    entries += 1;
    if (entries > maxArchiveEntries)
      throw fail('ARCHIVE_LIMIT', 'the archive holds too many entries', { limit: 'entries' });
    if (names.length === 0 && entry.kind === 'directory') continue;
    if (names.length === 0) throw unsafeError(entry.name, 'a file without a name');
    progress.entriesDone += 1;
    const key = displayPath(names);
    if (entry.kind === 'file' && seen.has(key)) throw unsafeError(entry.name, 'a file twice');
    guard.check(displayPath([...target, ...names]), entry.kind === 'directory');
    room.heldBytes += blockBytes;
    extraction.reservation.hold(room.heldBytes);
    if (entry.kind === 'directory') {
      await withDirectories(staging, names, context.owner, async () => undefined);
      if (!seen.has(key)) staged.directories.push(names);
    } else {
      await extractFile(entry, staging, names, { ...extraction, room });
      staged.files.push(names);
    }
    seen.add(key);
  }
  return staged;
}

async function extractFile(
  entry: ArchiveEntry,
  staging: FileHandle,
  names: Segments,
  {
    context,
    workspace,
    reservation,
    progress,
    archiveBytes,
    room,
  }: Extraction & {
    readonly room: { heldBytes: number; checkedUpTo: number };
  },
): Promise<void> {
  const name = names.at(-1) ?? Buffer.alloc(0);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  await withDirectories(staging, names.slice(0, -1), context.owner, async (directory) =>
    withHandle(await openNew(entryPath(directory, name), flags, entry.name), async (file) => {
      let size = 0;
      const heldBefore = room.heldBytes;
      for await (const chunk of entry.content) {
        workspace.signal.throwIfAborted();
        size += chunk.length;
        progress.bytesDone += chunk.length;
        requirePlausibleRatio(progress.bytesDone, archiveBytes);
        room.heldBytes = heldBefore + allocatedSize(size);
        reservation.hold(room.heldBytes);
        if (progress.bytesDone > room.checkedUpTo) {
          await context.freeSpace.require(spaceCheckBytes);
          room.checkedUpTo = progress.bytesDone + spaceCheckBytes;
        }
        await file.writeFile(chunk);
      }
      await chownTo(file, context.owner);
      await file.chmod(entry.mode & permissionBits);
      if (entry.modifiedAt) await file.utimes(entry.modifiedAt, entry.modifiedAt);
    }),
  );
}

async function openNew(path: Buffer, flags: number, entryName: string): Promise<FileHandle> {
  try {
    return await open(path, flags, 0o600);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) throw unsafeError(entryName, 'a file in the place of another entry');
    throw error;
  }
}

interface StagedMove {
  readonly staged: Staged;
  readonly staging: FileHandle;
  readonly destination: FileHandle;
  readonly isOverwriting: boolean;
}

/** Move what was extracted to its place; checked for conflicts before the first move. */
async function moveAll(
  { staged, staging, destination, isOverwriting }: StagedMove,
  { owner }: FilesContext,
  { signal }: Workspace,
): Promise<void> {
  for (const names of staged.files) await requireFree(destination, names, isOverwriting);
  signal.throwIfAborted();
  for (const names of staged.directories) {
    await mapLinkErrors(async () => withDirectories(destination, names, owner, async () => undefined));
  }
  for (const names of staged.files) {
    const name = names.at(-1) ?? Buffer.alloc(0);
    const parents = names.slice(0, -1);
    await mapLinkErrors(async () =>
      withDirectories(staging, parents, owner, async (from) =>
        withDirectories(destination, parents, owner, async (to) => {
          if (isOverwriting) await replace(entryPath(from, name), entryPath(to, name));
          else await moveWithoutReplacing({ directory: from, name }, { directory: to, name }, false);
        }),
      ),
    );
  }
  await syncDirectory(destination);
}

async function replace(from: Buffer, to: Buffer): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (isErrno(error, 'EISDIR', 'ENOTEMPTY', 'EEXIST'))
      throw fail('NOT_A_FILE', 'a directory is in the place of a file');
    throw error;
  }
}

/** Throws FILE_EXISTS when a file is in the way, NOT_A_FILE when anything else is. */
async function requireFree(destination: FileHandle, names: Segments, isOverwriting: boolean): Promise<void> {
  await locate(destination, names, 'path', async ({ found, missing }) => {
    if (missing.length > 0 || !found) return;
    const path = displayPath(names);
    if (!isOverwriting) throw fail('FILE_EXISTS', 'a file of the archive exists already', { path });
    if (!found.stats.isFile()) throw fail('NOT_A_FILE', 'something else is in the place of a file', { path });
  });
}

/** A link in the place of a directory is never followed. */
async function mapLinkErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isErrno(error, 'ELOOP', 'ENOTDIR')) throw fail('LINK_REFUSED', 'something else is in the place of a directory');
    throw error;
  }
}
