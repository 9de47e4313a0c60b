import { constants } from 'node:fs';
import { type FileHandle, lchown, link, mkdir, open, symlink } from 'node:fs/promises';
import { isErrno } from '@panel/kit/errors';
import { type ArchiveEntry, readArchive } from '../../archives/read-archive.js';
import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import type { FileOperation } from '../../domain/file-operation.js';
import { operationWaitMs } from './file-operations.js';
import { moveExtracted, segmentsOf, splitLast, type Staged } from './move-extracted.js';
import {
  EntryCount,
  leadsInside,
  parseEntryName,
  requirePlausibleRatio,
  unsafeError,
} from '../../domain/archive-entry.js';
import { allocatedSize, blockBytes } from '../../domain/disk-size.js';
import { displayPath, type Segments } from '../../domain/path.js';
import { chownTo, withDirectories } from '../../jail/directories.js';
import { entryPath, openDirectory, withHandle } from '../../jail/node.js';
import { resolveParent } from '../../jail/resolve.js';
import type { Reservation } from '../../volumes/usage.js';
import { openFile } from './read-file.js';
import { withWorkspace, type Workspace } from '../../workspace/workspace.js';
import type { OperationProgress } from '../../operations/file-operations.js';
import { runAsTask } from '../../volumes/run-as-task.js';

const spaceCheckBytes = 16 * 1024 * 1024;
const permissionBits = 0o777;

interface DecompressInput {
  readonly grant: FileGrant;
  readonly idempotencyId: string | undefined;
  readonly path: string;
  /** Created if missing. */
  readonly target: Segments;
  readonly isOverwriting: boolean;
}

/**
 * To a staging directory; moves entries into place after the whole archive was checked. Leaves out and counts links that
 * lead outside. Throws ARCHIVE_INVALID, ARCHIVE_UNSAFE, ARCHIVE_LIMIT, DISK_LIMIT, NODE_DISK_LOW, FILE_DENIED, and errors
 * of `findReplaced`.
 */
export async function decompressFile(context: FilesContext, input: DecompressInput): Promise<FileOperation> {
  const { grant, idempotencyId } = input;
  return context.operations.start(
    {
      serverId: grant.serverId,
      ownerId: grant.ownerId,
      kind: 'decompress',
      idempotencyId,
      run: async (progress) => decompress(context, input, progress),
    },
    operationWaitMs,
  );
}

async function decompress(
  context: FilesContext,
  { path, target, isOverwriting, grant }: DecompressInput,
  progress: OperationProgress,
): Promise<void> {
  const { owner, tempNames, volumes, tasks, usage } = context;
  const access = { grant, signal: progress.signal };
  progress.path = `/${displayPath(target)}`;
  await withWorkspace(context, access, async (workspace) => {
    const { file, entry } = await openFile(context, { ...access, path });
    await withHandle(file, async () =>
      resolveParent(workspace.root, target, async ({ directory, missing, segments }) =>
        withDirectories(directory, missing, owner, async (destination) => {
          const reservation = await usage.reserve(grant.serverId, grant.diskLimitBytes, grant.ownerId);
          const stagingName = tempNames.take();
          try {
            await mkdir(entryPath(destination, stagingName), 0o700);
            await withHandle(await openDirectory(destination, stagingName), async (staging) => {
              const { name, sizeBytes: archiveBytes } = entry;
              const extraction = { context, workspace, reservation, progress, archiveBytes, name };
              const extractedTo = [...segments, ...missing];
              const staged = await extractAll(file, staging, extractedTo, extraction);
              await moveExtracted({ staged, staging, destination, extractedTo, isOverwriting }, context, workspace);
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
  /** Of the archive. */
  readonly name: string;
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
  const staged: Staged = { directories: new Set(), files: new Set(), links: new Map() };
  const room = { heldBytes: 0, checkedUpTo: 0 };
  const count = new EntryCount();
  /** Links that lead outside. */
  const leftOut = new Set<string>();
  for await (const entry of readArchive(archive, { user, signal, name: extraction.name })) {
    signal.throwIfAborted();
    if (entry.kind === 'other') throw unsafeError(entry.name, 'a device, pipe or sparse file');
    const names = parseEntryName(entry.name);
    const path = displayPath(names);
    count.add(path, entry.target);
    if (names.length === 0 && entry.kind === 'directory') continue;
    if (names.length === 0) throw unsafeError(entry.name, 'a file without a name');
    const isDirectory = entry.kind === 'directory';
    if (!isDirectory && [staged.files, staged.links, leftOut].some((known) => known.has(path)))
      throw unsafeError(entry.name, 'a file twice');
    if (entry.kind === 'symbolic link' && !leadsInside(entry.target, names, entry.name)) {
      leftOut.add(path);
      progress.entriesSkipped += 1;
      continue;
    }
    progress.entriesDone += 1;
    guard.check(displayPath([...target, ...names]), isDirectory);
    const newDirectories = directoriesOf(isDirectory ? names : names.slice(0, -1), staged.directories);
    for (const directory of newDirectories) if (directory !== path) count.add(directory);
    room.heldBytes += (newDirectories.length + (isDirectory ? 0 : 1)) * blockBytes;
    extraction.reservation.hold(room.heldBytes);
    if (entry.kind === 'file') await extractFile(entry, staging, names, { ...extraction, room });
    else if (entry.kind === 'hard link') await linkFile(entry, staging, names, { context, staged });
    else {
      const directories = isDirectory ? names : names.slice(0, -1);
      await withDirectories(staging, directories, context.owner, async () => undefined);
    }
    if (entry.kind === 'symbolic link') staged.links.set(path, entry.target);
    else if (!isDirectory) staged.files.add(path);
    for (const directory of newDirectories) staged.directories.add(directory);
  }
  for (const path of leftOut) if (staged.directories.has(path)) throw unsafeError(path, 'an entry below a link');
  for (const [path, linkTarget] of staged.links) {
    signal.throwIfAborted();
    await makeLink(path, linkTarget, staging, context);
  }
  return staged;
}

/** Another name of a file that the archive held before. Throws ARCHIVE_UNSAFE. */
async function linkFile(
  { name, target }: ArchiveEntry,
  staging: FileHandle,
  names: Segments,
  { context: { owner }, staged }: Pick<Extraction, 'context'> & { readonly staged: Staged },
): Promise<void> {
  const source = parseEntryName(target, name);
  if (!staged.files.has(displayPath(source))) throw unsafeError(name, 'a link to what it does not hold');
  const [[parents, last], [sourceParents, sourceName]] = [splitLast(names), splitLast(source)];
  await withDirectories(staging, sourceParents, owner, async (from) =>
    withDirectories(staging, parents, owner, async (to) =>
      refuseTaken(name, async () => link(entryPath(from, sourceName), entryPath(to, last))),
    ),
  );
}

async function makeLink(
  path: string,
  target: string,
  staging: FileHandle,
  { owner }: Pick<FilesContext, 'owner'>,
): Promise<void> {
  const [parents, name] = splitLast(segmentsOf(path));
  await withDirectories(staging, parents, owner, async (directory) => {
    const place = entryPath(directory, name);
    await refuseTaken(path, async () => symlink(target, place));
    await lchown(place, owner.uid, owner.gid);
  });
}

/** Outermost first. */
function directoriesOf(names: Segments, known: ReadonlySet<string>): string[] {
  const found: string[] = [];
  for (let depth = names.length; depth > 0; depth -= 1) {
    const path = displayPath(names.slice(0, depth));
    if (known.has(path)) break;
    found.unshift(path);
  }
  return found;
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
  return refuseTaken(entryName, async () => open(path, flags, 0o600));
}

/** Throws ARCHIVE_UNSAFE. */
async function refuseTaken<T>(entryName: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (isErrno(error, 'EEXIST')) throw unsafeError(entryName, 'a file in the place of another entry');
    throw error;
  }
}
