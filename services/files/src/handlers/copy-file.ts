import type { FileHandle } from 'node:fs/promises';
import type { Handler } from '@panel/rpc';
import type { CopyFileRequest, CopyFileResponse, FileServiceService } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import type { Creation } from '../creations.js';
import { copyNames } from '../domain/copy-name.js';
import { entryOf, mimetypeOfOpenFile } from '../jail/entries.js';
import { withDirectories } from '../jail/make.js';
import { type NewFile, withNewFile } from '../jail/new-file.js';
import { closing, openForReading } from '../jail/node.js';
import { displayName, displayPath, parsePath, type Segments } from '../jail/path.js';
import { locate, locateExisting, requireRegular } from '../jail/place.js';
import { openByName } from '../jail/resolve.js';
import { lastingIdentity } from '../jail/volumes.js';
import { presentEntry } from '../present.js';
import { fail } from '../reasons.js';
import { RecentCreations } from '../recent-creations.js';
import { withWorkspace, type Workspace } from '../workspace.js';

const chunkBytes = 256 * 1024;

/** Where the copy may go: names to be tried in one directory, some of whose parents are still to be made. */
interface Target {
  readonly directory: FileHandle;
  /** Real place of the innermost directory. */
  readonly segments: Segments;
  readonly missing: Segments;
  readonly names: Iterable<Buffer>;
  /** The one name there is belongs to something. */
  readonly isTaken: boolean;
}

/** Copy one file beside itself or to another place; nothing is overwritten. */
export function copyFile(context: FilesContext): Handler<FileServiceService['copyFile']> {
  const recent = new RecentCreations<CopyFileResponse>();
  return async (request, { idempotencyId, signal }) =>
    withWorkspace(context, { grant: request.grant, permission: 'file.create', signal }, async (workspace) =>
      recent.once(workspace.grant.serverId, idempotencyId, async () =>
        copy(context, workspace, request, context.creations.of(workspace.grant.serverId, idempotencyId)),
      ),
    );
}

async function copy(
  context: FilesContext,
  workspace: Workspace,
  request: CopyFileRequest,
  creation: Creation | null,
): Promise<CopyFileResponse> {
  const { root, denylist } = workspace;
  const asked = parsePath(request.path, 'path');
  denylist.check(displayPath(asked), false);
  return locateExisting(root, asked, 'path', async (source) => {
    requireRegular(source.found.stats);
    denylist.check(displayPath(source.segments), false);
    const mode = Number(source.found.stats.mode) & 0o777;
    return withTarget(workspace, request, source, async (target) => {
      const made = await findMade(target, creation);
      if (made) return made;
      if (target.isTaken) throw exists();
      return closing(await openForReading(source.found.node), async (file) =>
        copyTo(context, workspace, { ...target, creation }, { file, mode }),
      );
    });
  });
}

async function withTarget<T>(
  { root, denylist }: Workspace,
  request: CopyFileRequest,
  source: { readonly directory: FileHandle; readonly segments: Segments; readonly name: Buffer },
  use: (target: Target) => Promise<T>,
): Promise<T> {
  if (request.to === '') {
    const names = [...copyNames(displayName(source.name), new Date())].map((name) => Buffer.from(name));
    return use({
      directory: source.directory,
      segments: source.segments.slice(0, -1),
      missing: [],
      names,
      isTaken: false,
    });
  }
  const to = parsePath(request.to, 'to');
  denylist.check(displayPath(to), false);
  return locate(root, to, 'to', async ({ directory, missing, name, segments, found }) => {
    return use({ directory, segments: segments.slice(0, -1), missing, names: [name], isTaken: found !== null });
  });
}

async function copyTo(
  context: FilesContext,
  { grant, denylist, signal }: Workspace,
  target: Target & { readonly creation: Creation | null },
  source: { readonly file: FileHandle; readonly mode: number },
): Promise<CopyFileResponse> {
  const { usage, owner, temporaries } = context;
  const size = (await source.file.stat()).size;
  const reservation = await usage.reserve(grant.serverId, grant.diskLimitBytes);
  try {
    reservation.hold(size);
    return await withNewFile({ directory: target.directory, mode: source.mode, owner, temporaries }, async (file) => {
      await copyBytes(source.file, file, size, signal);
      const identity = await lastingIdentity(file.handle);
      const name = await withDirectories(target.directory, target.missing, owner, async (directory) => {
        for (const candidate of target.names) {
          denylist.check(displayPath([...target.segments, candidate]), false);
          await target.creation?.note({ name: candidate, identity, at: Date.now() });
          if (await file.place(directory, candidate)) return candidate;
        }
        throw exists();
      });
      reservation.settle(file.size());
      return answer(target, name, file.handle);
    });
  } finally {
    reservation.release();
  }
}

/** The copy that an earlier call of this creation has made, and did not live to tell of. */
async function findMade(target: Target, creation: Creation | null): Promise<CopyFileResponse | null> {
  const earlier = await creation?.earlier();
  // what is still in a directory that is not there was not made
  const named = earlier && target.missing.length === 0 ? await openByName(target.directory, earlier.name) : null;
  if (!earlier || !named) return null;
  return closing(named.node, async (node) => {
    if ((await lastingIdentity(node)) !== earlier.identity) return null;
    return closing(await openForReading(node), async (file) => answer(target, earlier.name, file));
  });
}

async function answer({ segments }: Target, name: Buffer, file: FileHandle): Promise<CopyFileResponse> {
  const entry = entryOf(name, await file.stat({ bigint: true }), await mimetypeOfOpenFile(name, file));
  return { entry: presentEntry(entry), path: `/${displayPath([...segments, name])}` };
}

function exists() {
  return fail('FILE_EXISTS', 'there is something of this name already');
}

/** Copy what the file had when it was opened: one that grows as fast as it is copied has an end too. */
async function copyBytes(from: FileHandle, to: NewFile, size: number, signal: AbortSignal): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);
  while (to.size() < size) {
    signal.throwIfAborted();
    const { bytesRead } = await from.read(buffer, 0, Math.min(chunkBytes, size - to.size()), to.size());
    if (bytesRead === 0) return;
    await to.write(buffer.subarray(0, bytesRead));
  }
}
