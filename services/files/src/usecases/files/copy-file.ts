import type { FileHandle } from 'node:fs/promises';
import type { FilesContext } from '../../context.js';
import { copyNames } from '../../domain/copy-name.js';
import { allocatedSize, occupiedBytes } from '../../domain/disk-size.js';
import { displayName, displayPath, parsePath, type Segments } from '../../domain/path.js';
import { type AtomicFile, withAtomicFile } from '../../jail/atomic-write.js';
import { withDirectories } from '../../jail/directories.js';
import { type Entry, entryOf, mimetypeOfOpenFile } from '../../jail/entries.js';
import { type Location, locate, locateExisting, requireRegular } from '../../jail/location.js';
import { openForReading, withHandle } from '../../jail/node.js';
import { openByName } from '../../jail/resolve.js';
import { inodeIdentity } from '../../jail/inode-identity.js';
import { fail } from '../../reasons.js';
import type { JournalEntry } from '../../workspace/creation-journal.js';
import { type FileAccess, withWorkspace, type Workspace } from '../../workspace/workspace.js';

const chunkBytes = 256 * 1024;

interface Target {
  readonly directory: FileHandle;
  /** The innermost existing directory. */
  readonly segments: Segments;
  readonly missing: Segments;
  readonly names: Iterable<Buffer>;
  readonly isTaken: boolean;
}

interface CopyFileInput extends FileAccess {
  readonly path: string;
  /** Empty: the first free "name copy.ext" beside the source. */
  readonly to: string;
  readonly idempotencyId?: string | undefined;
}

interface CopiedFile {
  readonly entry: Entry;
  readonly path: string;
}

/** Without overwriting. Throws FILE_EXISTS, NOT_A_FILE, LINK_REFUSED, DISK_LIMIT, FILE_DENIED. */
export async function copyFile(context: FilesContext, input: CopyFileInput): Promise<CopiedFile> {
  const { grant, idempotencyId } = input;
  return context.recentCopies.once(grant.serverId, idempotencyId, async () => copy(context, input));
}

async function copy(context: FilesContext, { path, to, idempotencyId, ...access }: CopyFileInput): Promise<CopiedFile> {
  return withWorkspace(context, access, async (workspace) => {
    const { root, readGuard } = workspace;
    const journal = context.creations.entryFor(access.grant.serverId, idempotencyId);
    const requested = parsePath(path, 'path');
    readGuard.check(displayPath(requested), false);
    return locateExisting(root, requested, 'path', async (source) => {
      requireRegular(source.found.stats);
      readGuard.check(displayPath(source.segments), false);
      const mode = Number(source.found.stats.mode) & 0o777;
      return withTarget(context, workspace, { to, source }, async (target) => {
        const earlier = await findEarlierCopy(target, journal);
        if (earlier) return earlier;
        if (target.isTaken) throw existsError();
        return withHandle(await openForReading(source.found.node), async (file) =>
          copyTo(context, workspace, { ...target, journal }, { file, mode }),
        );
      });
    });
  });
}

async function withTarget<T>(
  { clock }: FilesContext,
  { root, guard }: Workspace,
  { to, source }: { readonly to: string; readonly source: Pick<Location, 'directory' | 'segments' | 'name'> },
  use: (target: Target) => Promise<T>,
): Promise<T> {
  if (to === '') {
    const names = [...copyNames(displayName(source.name), clock())].map((name) => Buffer.from(name));
    const segments = source.segments.slice(0, -1);
    return use({ directory: source.directory, segments, missing: [], names, isTaken: false });
  }
  const requested = parsePath(to, 'to');
  guard.check(displayPath(requested), false);
  return locate(root, requested, 'to', async ({ directory, missing, name, segments, found }) =>
    use({ directory, segments: segments.slice(0, -1), missing, names: [name], isTaken: found !== null }),
  );
}

async function copyTo(
  context: FilesContext,
  { grant, guard, signal }: Workspace,
  target: Target & { readonly journal: JournalEntry | null },
  source: { readonly file: FileHandle; readonly mode: number },
): Promise<CopiedFile> {
  const { usage, owner, tempNames, freeSpace } = context;
  const size = (await source.file.stat()).size;
  const reservation = await usage.reserve(grant.serverId, grant.diskLimitBytes, grant.ownerId);
  try {
    reservation.hold(allocatedSize(size));
    await freeSpace.require(size);
    return await withAtomicFile({ directory: target.directory, mode: source.mode, owner, tempNames }, async (file) => {
      await copyBytes(source.file, file, size, signal);
      const identity = await inodeIdentity(file.handle);
      const name = await withDirectories(target.directory, target.missing, owner, async (directory) => {
        for (const candidate of target.names) {
          guard.check(displayPath([...target.segments, candidate]), false);
          await target.journal?.record({ name: candidate, identity });
          if (await file.linkAs(directory, candidate)) return candidate;
        }
        throw existsError();
      });
      reservation.commit(occupiedBytes(await file.handle.stat({ bigint: true })));
      return describe(target, name, file.handle);
    });
  } finally {
    reservation.release();
  }
}

/** Of an attempt of this call that died before its response. */
async function findEarlierCopy(target: Target, journal: JournalEntry | null): Promise<CopiedFile | null> {
  const earlier = await journal?.read();
  // without it there is no copy
  const named = earlier && target.missing.length === 0 ? await openByName(target.directory, earlier.name) : null;
  if (!earlier || !named) return null;
  return withHandle(named.node, async (node) => {
    if ((await inodeIdentity(node)) !== earlier.identity) return null;
    return withHandle(await openForReading(node), async (file) => describe(target, earlier.name, file));
  });
}

async function describe({ segments }: Target, name: Buffer, file: FileHandle): Promise<CopiedFile> {
  const entry = entryOf(name, await file.stat({ bigint: true }), await mimetypeOfOpenFile(name, file));
  return { entry, path: `/${displayPath([...segments, name])}` };
}

function existsError() {
  return fail('FILE_EXISTS', 'there is something of this name already');
}

/** `size` bounds the copy of a growing file. */
async function copyBytes(from: FileHandle, to: AtomicFile, size: number, signal: AbortSignal): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);
  while (to.size() < size) {
    signal.throwIfAborted();
    const { bytesRead } = await from.read(buffer, 0, Math.min(chunkBytes, size - to.size()), to.size());
    if (bytesRead === 0) return;
    await to.write(buffer.subarray(0, bytesRead));
  }
}
