import type { Handler } from '@panel/kit';
import type { CreateDirectoryResponse, FileServiceService } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { directoryMimetype } from '../domain/mimetype.js';
import { entryOf } from '../jail/entries.js';
import { makeDirectory, withDirectories } from '../jail/make.js';
import { displayPath, parsePath, type Segments } from '../jail/path.js';
import { locate, type Place } from '../jail/place.js';
import { statEntry } from '../jail/tree.js';
import { presentEntry } from '../present.js';
import { fail } from '../reasons.js';
import { RecentCreations } from '../recent-creations.js';
import { withWorkspace, type Workspace } from '../workspace.js';

/** What a directory takes on most file systems: without it, empty directories would be free. */
const directoryBytes = 4096;

/** Make a directory, and those on the way to it. */
export function createDirectory(context: FilesContext): Handler<FileServiceService['createDirectory']> {
  const recent = new RecentCreations<CreateDirectoryResponse>();
  return async (request, { creationId, signal }) =>
    withWorkspace(context, { grant: request.grant, permission: 'file.create', signal }, async (workspace) => {
      const asked = parsePath(request.path, 'path');
      workspace.denylist.check(displayPath(asked), true);
      return recent.once(workspace.grant.serverId, creationId, async () => create(context, workspace, asked));
    });
}

async function create(
  context: FilesContext,
  { grant, root, denylist }: Workspace,
  asked: Segments,
): Promise<CreateDirectoryResponse> {
  return locate(root, asked, 'path', async (place) => {
    denylist.check(displayPath(place.segments), true);
    if (place.found) throw fail('FILE_EXISTS', 'there is something of this name already');
    const bytes = (place.missing.length + 1) * directoryBytes;
    const reservation = await context.usage.reserve(grant.serverId, grant.diskLimitBytes);
    try {
      reservation.hold(bytes);
      const entry = await makeAt(context, place);
      reservation.settle(bytes);
      return { entry: presentEntry(entry) };
    } finally {
      reservation.release();
    }
  });
}

async function makeAt({ owner }: FilesContext, { directory, missing, name }: Place) {
  return withDirectories(directory, missing, owner, async (parent) => {
    if (!(await makeDirectory(parent, name, owner))) {
      throw fail('FILE_EXISTS', 'there is something of this name already');
    }
    const made = await statEntry(parent, name);
    if (!made) throw fail('FILE_NOT_FOUND', 'the directory was removed at once');
    return entryOf(name, made.stats, directoryMimetype);
  });
}
