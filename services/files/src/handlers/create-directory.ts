import type { FileHandle } from 'node:fs/promises';
import type { Handler } from '@panel/rpc';
import type { CreateDirectoryResponse, FileServiceService } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import type { Creation } from '../creations.js';
import { directoryMimetype } from '../domain/mimetype.js';
import { type Entry, entryOf } from '../jail/entries.js';
import { finishDirectory, makeDirectory, withDirectories } from '../jail/make.js';
import { displayPath, parsePath, type Segments } from '../jail/path.js';
import { locate, type Place } from '../jail/place.js';
import { statEntry } from '../jail/tree.js';
import { presentEntry } from '../present.js';
import { fail } from '../reasons.js';
import { RecentCreations } from '../recent-creations.js';
import { withWorkspace, type Workspace } from '../workspace.js';

/** What a directory takes on most file systems: without it, empty directories would be free. */
const directoryBytes = 4096;
/** A file system's clock is that coarse. */
const clockTickMs = 100;

/** Make a directory, and those on the way to it. */
export function createDirectory(context: FilesContext): Handler<FileServiceService['createDirectory']> {
  const recent = new RecentCreations<CreateDirectoryResponse>();
  return async (request, { idempotencyId, signal }) =>
    withWorkspace(context, { grant: request.grant, permission: 'file.create', signal }, async (workspace) => {
      const asked = parsePath(request.path, 'path');
      workspace.denylist.check(displayPath(asked), true);
      return recent.once(workspace.grant.serverId, idempotencyId, async () =>
        create(context, workspace, asked, context.creations.of(workspace.grant.serverId, idempotencyId)),
      );
    });
}

async function create(
  context: FilesContext,
  { grant, root, denylist }: Workspace,
  asked: Segments,
  creation: Creation | null,
): Promise<CreateDirectoryResponse> {
  return locate(root, asked, 'path', async (place) => {
    denylist.check(displayPath(place.segments), true);
    if (place.found) {
      if (!(await isMadeBy(creation, place))) throw exists();
      await finishDirectory(place.directory, place.name, context.owner);
      return { entry: presentEntry(await entryAt(place.directory, place.name)) };
    }
    const bytes = (place.missing.length + 1) * directoryBytes;
    const reservation = await context.usage.reserve(grant.serverId, grant.diskLimitBytes);
    try {
      reservation.hold(bytes);
      // Not before: what is refused leaves no note that somebody else's directory could be taken for.
      await creation?.note({ name: place.name, identity: null, at: Date.now() });
      const entry = await makeAt(context, place, creation);
      reservation.settle(bytes);
      return { entry: presentEntry(entry) };
    } finally {
      reservation.release();
    }
  });
}

/** Whether what is there came from an earlier call of this creation, which did not live to answer. */
async function isMadeBy(creation: Creation | null, { found, name }: Place): Promise<boolean> {
  const earlier = found?.stats.isDirectory() ? await creation?.earlier() : null;
  if (!found || !earlier?.name.equals(name)) return false;
  return Number(found.stats.birthtimeMs) + clockTickMs >= earlier.at;
}

function exists() {
  return fail('FILE_EXISTS', 'there is something of this name already');
}

async function makeAt({ owner }: FilesContext, { directory, missing, name }: Place, creation: Creation | null) {
  return withDirectories(directory, missing, owner, async (parent) => {
    if (!(await makeDirectory(parent, name, owner))) {
      await creation?.forget();
      throw exists();
    }
    return entryAt(parent, name);
  });
}

async function entryAt(parent: FileHandle, name: Buffer): Promise<Entry> {
  const made = await statEntry(parent, name);
  if (!made) throw fail('FILE_NOT_FOUND', 'the directory was removed at once');
  return entryOf(name, made.stats, directoryMimetype);
}
