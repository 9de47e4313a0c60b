import type { FilesContext } from '../../context.js';
import type { FileGuard } from '../../domain/file-guard.js';
import type { TrashEntry } from '../../domain/trash-entry.js';
import { displayPath, parsePath } from '../../domain/path.js';
import { withDirectories } from '../../jail/directories.js';
import { locate } from '../../jail/location.js';
import { fail } from '../../reasons.js';
import { type FileAccess, requireNothingDenied, withWorkspace } from '../../workspace/workspace.js';

/**
 * Without overwriting. Returns the path. Throws TRASH_NOT_FOUND, STORAGE_UNAVAILABLE, FILE_EXISTS, DISK_LIMIT,
 * FILE_DENIED, PATH_FORBIDDEN.
 */
export async function restoreTrash(
  context: FilesContext,
  { trashId, to, ...access }: FileAccess & { readonly trashId: string; readonly to: string },
): Promise<string> {
  const { trash, usage, owner } = context;
  const { grant } = access;
  return withWorkspace(context, access, async ({ root, guard, readGuard }) => {
    const entry = await trash.find(grant.serverId, trashId);
    const requested = parsePath(to === '' ? entry.path : to, 'to');
    if (displayPath(requested) !== entry.path.slice(1)) requireReadable(readGuard, entry);
    guard.check(displayPath(requested), entry.isDirectory);
    return locate(root, requested, 'to', async ({ directory, missing, name, segments, found }) => {
      guard.check(displayPath(segments), entry.isDirectory);
      if (entry.isDirectory) guard.requireUniformBelow(displayPath(segments));
      if (found) throw fail('FILE_EXISTS', 'there is something of this name already');
      const reservation = await usage.reserve(grant.serverId, grant.diskLimitBytes, grant.ownerId);
      try {
        reservation.hold(entry.sizeBytes);
        await withDirectories(directory, missing, owner, async (parent) =>
          trash.restore(entry, { directory: parent, name }, async (deleted) =>
            requireNothingDenied(guard, deleted, segments),
          ),
        );
        reservation.commit(entry.sizeBytes);
      } finally {
        reservation.release();
      }
      return `/${displayPath(segments)}`;
    });
  });
}

/** A restore elsewhere must not expose unreadable entries. */
function requireReadable(readGuard: FileGuard, { path, isDirectory }: TrashEntry): void {
  readGuard.requireVisible(path.slice(1), isDirectory);
  if (isDirectory) readGuard.requireUniformBelow(path.slice(1));
}
