import type { FileHandle } from 'node:fs/promises';
import type { FilesContext } from '../../context.js';
import { directoryMimetype } from '../../domain/mimetype.js';
import { displayPath, parsePath, type Segments } from '../../domain/path.js';
import { finishDirectory, makeDirectory, withDirectories } from '../../jail/directories.js';
import { type Entry, entryOf } from '../../jail/entries.js';
import { locate, type Location } from '../../jail/location.js';
import { statEntry } from '../../jail/tree.js';
import { fail } from '../../reasons.js';
import type { JournalEntry } from '../../workspace/creation-journal.js';
import { type FileAccess, withWorkspace, type Workspace } from '../../workspace/workspace.js';

/** Counted, to limit empty directories. */
const directoryBytes = 4096;
/** Of file system timestamps, rounded up. */
const clockTickMs = 100;

/** With missing parents. Throws FILE_EXISTS, DISK_LIMIT, FILE_DENIED. */
export async function createDirectory(
  context: FilesContext,
  {
    path,
    idempotencyId,
    ...access
  }: FileAccess & { readonly path: string; readonly idempotencyId?: string | undefined },
): Promise<Entry> {
  const { serverId } = access.grant;
  return context.recentDirectories.once(serverId, idempotencyId, async () =>
    withWorkspace(context, access, async (workspace) => {
      const requested = parsePath(path, 'path');
      workspace.guard.check(displayPath(requested), true);
      return create(context, workspace, requested, context.creations.entryFor(serverId, idempotencyId));
    }),
  );
}

async function create(
  context: FilesContext,
  { grant, root, guard }: Workspace,
  requested: Segments,
  journal: JournalEntry | null,
): Promise<Entry> {
  return locate(root, requested, 'path', async (location) => {
    guard.check(displayPath(location.segments), true);
    if (location.found) {
      if (!(await isCreatedBy(journal, location))) throw existsError();
      await finishDirectory(location.directory, location.name, context.owner);
      return entryAt(location.directory, location.name);
    }
    await context.freeSpace.require(0);
    const bytes = (location.missing.length + 1) * directoryBytes;
    const reservation = await context.usage.reserve(grant.serverId, grant.diskLimitBytes, grant.ownerId);
    try {
      reservation.hold(bytes);
      // after all checks: a refused call's record could match another caller's directory
      await journal?.record({ name: location.name, identity: null });
      const entry = await makeAt(context, location, journal);
      reservation.commit(bytes);
      return entry;
    } finally {
      reservation.release();
    }
  });
}

/** By an attempt of this call that died before its response. */
async function isCreatedBy(journal: JournalEntry | null, { found, name }: Location): Promise<boolean> {
  const earlier = found?.stats.isDirectory() ? await journal?.read() : null;
  if (!found || !earlier?.name.equals(name)) return false;
  return Number(found.stats.birthtimeMs) + clockTickMs >= earlier.at;
}

function existsError() {
  return fail('FILE_EXISTS', 'there is something of this name already');
}

async function makeAt({ owner }: FilesContext, { directory, missing, name }: Location, journal: JournalEntry | null) {
  return withDirectories(directory, missing, owner, async (parent) => {
    if (!(await makeDirectory(parent, name, owner))) {
      await journal?.clear();
      throw existsError();
    }
    return entryAt(parent, name);
  });
}

async function entryAt(parent: FileHandle, name: Buffer): Promise<Entry> {
  const made = await statEntry(parent, name);
  if (!made) throw fail('FILE_NOT_FOUND', 'the directory was removed at once');
  return entryOf(name, made.stats, directoryMimetype);
}
