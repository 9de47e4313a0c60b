import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { posix } from 'node:path';
import { isErrno } from '@panel/kit/errors';
import { type ArchiveEntry, readArchive } from '../../archives/read-archive.js';
import type { FileGrant } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import type { FileOperation } from '../../domain/file-operation.js';
import { operationWaitMs } from './file-operations.js';
import { EntryCount, parseEntryName, requirePlausibleRatio, unsafeError } from '../../domain/archive-entry.js';
import { allocatedSize, blockBytes } from '../../domain/disk-size.js';
import { displayPath, type Segments } from '../../domain/path.js';
import { syncDirectory } from '../../jail/atomic-write.js';
import { chownTo, withDirectories } from '../../jail/directories.js';
import { moveWithoutReplacing } from '../../jail/move.js';
import { entryPath, openDirectory, withHandle } from '../../jail/node.js';
import { openByName, resolveParent } from '../../jail/resolve.js';
import type { Reservation } from '../../volumes/usage.js';
import { fail } from '../../reasons.js';
import { openFile } from './read-file.js';
import { saveVersion } from '../../versions/save-version.js';
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

/** By `displayPath`; buffers would take twenty times the memory. Directories include all parents, outermost first. */
interface Staged {
  readonly directories: Set<string>;
  readonly files: Set<string>;
}

/**
 * To a staging directory; moves entries into place after the whole archive was checked. Throws ARCHIVE_INVALID,
 * ARCHIVE_UNSAFE, ARCHIVE_LIMIT, DISK_LIMIT, NODE_DISK_LOW, FILE_DENIED, and errors of `findReplaced`.
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
          const reservation = await usage.reserve(grant.serverId, grant.diskLimitBytes);
          const stagingName = tempNames.take();
          try {
            await mkdir(entryPath(destination, stagingName), 0o700);
            await withHandle(await openDirectory(destination, stagingName), async (staging) => {
              const extraction = { context, workspace, reservation, progress, archiveBytes: entry.sizeBytes };
              const extractedTo = [...segments, ...missing];
              const staged = await extractAll(file, staging, extractedTo, extraction);
              await moveAll({ staged, staging, destination, extractedTo, isOverwriting }, context, workspace);
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
  const staged: Staged = { directories: new Set(), files: new Set() };
  const room = { heldBytes: 0, checkedUpTo: 0 };
  const count = new EntryCount();
  for await (const entry of readArchive(archive, { user, signal })) {
    signal.throwIfAborted();
    const names = entry.kind === 'other' ? [] : parseEntryName(entry.name);
    if (entry.kind === 'other') throw unsafeError(entry.name, 'a link or device');
    const path = displayPath(names);
    count.add(path);
    if (names.length === 0 && entry.kind === 'directory') continue;
    if (names.length === 0) throw unsafeError(entry.name, 'a file without a name');
    progress.entriesDone += 1;
    if (entry.kind === 'file' && staged.files.has(path)) throw unsafeError(entry.name, 'a file twice');
    guard.check(displayPath([...target, ...names]), entry.kind === 'directory');
    const newDirectories = directoriesOf(entry.kind === 'directory' ? names : names.slice(0, -1), staged.directories);
    for (const directory of newDirectories) if (directory !== path) count.add(directory);
    room.heldBytes += (newDirectories.length + (entry.kind === 'file' ? 1 : 0)) * blockBytes;
    extraction.reservation.hold(room.heldBytes);
    if (entry.kind === 'directory') {
      await withDirectories(staging, names, context.owner, async () => undefined);
    } else {
      await extractFile(entry, staging, names, { ...extraction, room });
      staged.files.add(path);
    }
    for (const directory of newDirectories) staged.directories.add(directory);
  }
  return staged;
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
  /** Of `destination`. */
  readonly extractedTo: Segments;
  readonly isOverwriting: boolean;
}

/** Checks conflicts before the first move. */
async function moveAll(move: StagedMove, context: FilesContext, workspace: Workspace): Promise<void> {
  const { staged, staging, destination, isOverwriting } = move;
  const { owner } = context;
  await saveReplaced(move, context, workspace, await findReplaced(move));
  workspace.signal.throwIfAborted();
  for (const path of staged.directories) {
    await mapLinkErrors(async () => withDirectories(destination, segmentsOf(path), owner, async () => undefined));
  }
  for (const path of staged.files) {
    const [parents, name] = splitLast(segmentsOf(path));
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

/** Throws FILE_EXISTS, NOT_A_FILE, NOT_A_DIRECTORY, LINK_REFUSED for conflicts. */
async function findReplaced({ staged, destination, isOverwriting }: StagedMove): Promise<string[]> {
  const replaced: string[] = [];
  const missing = new Set<string>();
  for (const path of staged.directories) {
    const stats = missing.has(posix.dirname(path)) ? null : await statBelow(destination, segmentsOf(path));
    if (!stats) missing.add(path);
    else if (stats.isSymbolicLink()) throw fail('LINK_REFUSED', 'a link is in the place of a directory', { path });
    else if (!stats.isDirectory()) throw fail('NOT_A_DIRECTORY', 'a file is in the place of a directory', { path });
  }
  for (const path of staged.files) {
    const stats = missing.has(posix.dirname(path)) ? null : await statBelow(destination, segmentsOf(path));
    if (!stats) continue;
    if (!isOverwriting) throw fail('FILE_EXISTS', 'a file of the archive exists already', { path });
    if (!stats.isFile()) throw fail('NOT_A_FILE', 'something else is in the place of a file', { path });
    replaced.push(path);
  }
  return replaced;
}

/** Before the first move: a failure must leave everything unchanged. */
async function saveReplaced(
  { destination, extractedTo }: StagedMove,
  context: FilesContext,
  { grant, signal }: Workspace,
  replaced: readonly string[],
): Promise<void> {
  for (const path of replaced) {
    signal.throwIfAborted();
    const names = segmentsOf(path);
    await withNode(destination, names, async (node) =>
      saveVersion(context, grant, `/${displayPath([...extractedTo, ...names])}`, node),
    );
  }
}

async function statBelow(directory: FileHandle, names: Segments): Promise<BigIntStats | null> {
  return mapLinkErrors(async () => withNode(directory, names, async (node) => node.stat({ bigint: true })));
}

/** Follows no link; null when missing. */
async function withNode<T>(
  directory: FileHandle,
  [name, ...rest]: Segments,
  use: (node: FileHandle) => Promise<T>,
): Promise<T | null> {
  if (!name) return use(directory);
  if (rest.length > 0) {
    return withHandle(await openDirectory(directory, name), async (next) => withNode(next, rest, use));
  }
  const named = await openByName(directory, name);
  return named && withHandle(named.node, use);
}

function segmentsOf(path: string): Buffer[] {
  return path.split('/').map((name) => Buffer.from(name));
}

function splitLast(names: Segments): readonly [Segments, Buffer] {
  return [names.slice(0, -1), names.at(-1) ?? Buffer.alloc(0)];
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

async function mapLinkErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isErrno(error, 'ELOOP', 'ENOTDIR')) throw fail('LINK_REFUSED', 'something else is in the place of a directory');
    throw error;
  }
}
