import type { FileHandle } from 'node:fs/promises';
import type { FilesContext } from '../../context.js';
import { allocatedSize, freedByUnlink, occupiedBytes } from '../../domain/disk-size.js';
import { displayPath, parsePath } from '../../domain/path.js';
import type { WriteCondition } from '../../domain/write-condition.js';
import { type AtomicFile, withAtomicFile } from '../../jail/atomic-write.js';
import { withDirectories } from '../../jail/directories.js';
import { type Entry, entryOf, mimetypeOfOpenFile } from '../../jail/entries.js';
import { locate, type Location, requireRegular, withCurrent } from '../../jail/location.js';
import { requireCondition } from '../../jail/write-condition.js';
import { writtenThroughGateway } from '../../metrics.js';
import type { Reservation } from '../../volumes/usage.js';
import { fail } from '../../reasons.js';
import { fitTrash } from '../../trash/fit-trash.js';
import { saveVersion } from '../../versions/save-version.js';
import { type FileAccess, withWorkspace, type Workspace } from '../../workspace/workspace.js';

const newFileMode = 0o644;

/** Chunks, then the finish, which a failed sender's stream lacks. */
export type UploadPart =
  { readonly kind: 'chunk'; readonly bytes: Buffer } | { readonly kind: 'finish'; readonly sizeBytes: number };

interface WriteFileInput extends FileAccess {
  readonly path: string;
  /** For early refusal, untrusted; 0: unknown. */
  readonly announcedBytes: number;
  readonly condition: WriteCondition;
  readonly parts: AsyncIterable<UploadPart>;
  /** Ends `parts` when the volume is locked. */
  readonly onAbort?: (reason: unknown) => void;
}

export interface WrittenFile {
  readonly entry: Entry;
  readonly sha256: string;
}

/**
 * Atomic, with missing parents. Throws DISK_LIMIT, UPLOAD_TOO_LARGE, UPLOAD_INCOMPLETE, FILE_CHANGED, LINK_REFUSED,
 * NOT_A_FILE, FILE_DENIED.
 */
export async function writeFile(context: FilesContext, input: WriteFileInput): Promise<WrittenFile> {
  return withWorkspace(context, input, async (workspace) => {
    const { signal } = workspace;
    signal.addEventListener('abort', () => input.onAbort?.(signal.reason), { once: true });
    const written = await locateTarget(workspace, input.path, async (location) =>
      writeAt(context, workspace, location, input),
    );
    fitTrash(context, input.grant);
    return written;
  });
}

async function locateTarget<T>({ root, guard }: Workspace, path: string, use: (location: Location) => Promise<T>) {
  const requested = parsePath(path, 'path');
  guard.check(displayPath(requested), false);
  return locate(root, requested, 'path', async (location) => {
    if (location.found) requireRegular(location.found.stats);
    guard.check(displayPath(location.segments), false);
    return use(location);
  });
}

const spaceCheckBytes = 16 * 1024 * 1024;

/** Space for an upload beyond the replaced file's. */
interface Room {
  readonly reservation: Reservation;
  readonly limitBytes: number;
  /** By the replaced file. */
  readonly freedBytes: number;
  readonly announcedBytes: number;
}

async function writeAt(
  context: FilesContext,
  { grant }: Workspace,
  location: Location,
  { announcedBytes, condition, parts }: WriteFileInput,
): Promise<WrittenFile> {
  const { usage, owner, tempNames, fileMutex, freeSpace } = context;
  const before = location.found?.stats;
  const mode = before ? Number(before.mode) & 0o777 : newFileMode;
  const limitBytes = grant.uploadLimitBytes ?? 0;
  if (isBeyond(announcedBytes, limitBytes)) throw tooLargeError(limitBytes);
  const reservation = await usage.reserve(grant.serverId, grant.diskLimitBytes, grant.ownerId);
  try {
    const room = { reservation, limitBytes, freedBytes: before ? freedByUnlink(before) : 0, announcedBytes };
    hold(room, announcedBytes);
    await freeSpace.require(announcedBytes);
    return await withAtomicFile({ directory: location.directory, mode, owner, tempNames }, async (file) => {
      await receive(context, parts, file, room);
      const freedBytes = await fileMutex.run(`${grant.serverId}/${displayPath(location.segments)}`, async () =>
        withCurrent(location, async (current) => {
          if (current) requireRegular(current.stats);
          await requireCondition(current, condition);
          // a new hard link, holes or another writer may reduce the freed space
          hold({ ...room, freedBytes: current ? freedByUnlink(current.stats) : 0 }, file.size());
          if (current) await saveVersion(context, grant, pathOf(location), current.node);
          await withDirectories(location.directory, location.missing, owner, async (parent) =>
            file.replace(parent, location.name),
          );
          return current && (await isUnlinked(current.node)) ? occupiedBytes(current.stats) : 0;
        }),
      );
      reservation.commit(occupiedBytes(await file.handle.stat({ bigint: true })) - freedBytes);
      return describe(location.name, file);
    });
  } finally {
    reservation.release();
  }
}

function pathOf({ segments }: Location): string {
  return `/${displayPath(segments)}`;
}

function hold({ reservation, freedBytes }: Room, lengthBytes: number): void {
  reservation.hold(Math.max(0, allocatedSize(lengthBytes) - freedBytes));
}

async function isUnlinked(node: FileHandle): Promise<boolean> {
  return (await node.stat({ bigint: true })).nlink === 0n;
}

/** 0: unlimited. */
function isBeyond(sizeBytes: number, limitBytes: number): boolean {
  return limitBytes > 0 && sizeBytes > limitBytes;
}

function tooLargeError(limitBytes: number) {
  return fail('UPLOAD_TOO_LARGE', `the node takes files of at most ${limitBytes} bytes`, { limitBytes });
}

/** Reserves space before each write. Requires the finish: a cancelled stream ends like a complete one. */
async function receive(
  { freeSpace, metrics }: Pick<FilesContext, 'freeSpace' | 'metrics'>,
  parts: AsyncIterable<UploadPart>,
  file: AtomicFile,
  room: Room,
): Promise<void> {
  let checkedUpTo = room.announcedBytes;
  for await (const part of parts) {
    if (part.kind === 'finish') {
      if (part.sizeBytes === file.size()) return;
      throw fail('UPLOAD_INCOMPLETE', 'some of the bytes that were sent have not arrived', { received: file.size() });
    }
    metrics.bytes.inc(writtenThroughGateway, part.bytes.length);
    const size = file.size() + part.bytes.length;
    if (isBeyond(size, room.limitBytes)) throw tooLargeError(room.limitBytes);
    hold(room, Math.max(size, room.announcedBytes));
    if (size > checkedUpTo) {
      await freeSpace.require(spaceCheckBytes);
      checkedUpTo = size + spaceCheckBytes;
    }
    await file.write(part.bytes);
  }
  throw fail('UPLOAD_INCOMPLETE', 'the upload ended before it was complete', { received: file.size() });
}

async function describe(name: Buffer, file: AtomicFile): Promise<WrittenFile> {
  const stats = await file.handle.stat({ bigint: true });
  return { entry: entryOf(name, stats, await mimetypeOfOpenFile(name, file.handle)), sha256: file.digest() };
}
