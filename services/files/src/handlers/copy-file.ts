import type { FileHandle } from 'node:fs/promises';
import type { Handler } from '@panel/kit';
import type { CopyFileRequest, CopyFileResponse, FileServiceService } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { copyNames } from '../domain/copy-name.js';
import { entryOf, mimetypeOfOpenFile } from '../jail/entries.js';
import { withDirectories } from '../jail/make.js';
import { type NewFile, withNewFile } from '../jail/new-file.js';
import { closing, openForReading } from '../jail/node.js';
import { displayName, displayPath, parsePath, type Segments } from '../jail/path.js';
import { locate, locateExisting, requireRegular } from '../jail/place.js';
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
}

/** Copy one file beside itself or to another place; nothing is overwritten. */
export function copyFile(context: FilesContext): Handler<FileServiceService['copyFile']> {
  const recent = new RecentCreations<CopyFileResponse>();
  return async (request, { creationId, signal }) =>
    withWorkspace(context, { grant: request.grant, permission: 'file.create', signal }, async (workspace) =>
      recent.once(workspace.grant.serverId, creationId, async () => copy(context, workspace, request)),
    );
}

async function copy(context: FilesContext, workspace: Workspace, request: CopyFileRequest): Promise<CopyFileResponse> {
  const { root, denylist } = workspace;
  const asked = parsePath(request.path, 'path');
  denylist.check(displayPath(asked), false);
  return locateExisting(root, asked, 'path', async (source) => {
    requireRegular(source.found.stats);
    denylist.check(displayPath(source.segments), false);
    const mode = Number(source.found.stats.mode) & 0o777;
    return withTarget(workspace, request, source, async (target) =>
      closing(await openForReading(source.found.node), async (file) =>
        copyTo(context, workspace, target, { file, mode }),
      ),
    );
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
    return use({ directory: source.directory, segments: source.segments.slice(0, -1), missing: [], names });
  }
  const to = parsePath(request.to, 'to');
  denylist.check(displayPath(to), false);
  return locate(root, to, 'to', async ({ directory, missing, name, segments, found }) => {
    if (found) throw fail('FILE_EXISTS', 'there is something of this name already');
    return use({ directory, segments: segments.slice(0, -1), missing, names: [name] });
  });
}

async function copyTo(
  context: FilesContext,
  { grant, denylist, signal }: Workspace,
  target: Target,
  source: { readonly file: FileHandle; readonly mode: number },
): Promise<CopyFileResponse> {
  const { usage, owner, temporaries } = context;
  const size = (await source.file.stat()).size;
  const reservation = await usage.reserve(grant.serverId, grant.diskLimitBytes);
  try {
    reservation.hold(size);
    return await withNewFile({ directory: target.directory, mode: source.mode, owner, temporaries }, async (file) => {
      await copyBytes(source.file, file, size, signal);
      const name = await withDirectories(target.directory, target.missing, owner, async (directory) => {
        for (const candidate of target.names) {
          denylist.check(displayPath([...target.segments, candidate]), false);
          if (await file.place(directory, candidate)) return candidate;
        }
        throw fail('FILE_EXISTS', 'there is something of this name already');
      });
      reservation.settle(file.size());
      const stats = await file.handle.stat({ bigint: true });
      const entry = entryOf(name, stats, await mimetypeOfOpenFile(name, file.handle));
      return { entry: presentEntry(entry), path: `/${displayPath([...target.segments, name])}` };
    });
  } finally {
    reservation.release();
  }
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
