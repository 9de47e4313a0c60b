import type { FilesContext } from '../../context.js';
import { isDump } from '../../domain/dump-files.js';
import { displayPath, type Segments } from '../../domain/path.js';
import { locate, locateExisting, type Location } from '../../jail/location.js';
import { fitTrash } from '../../trash/fit-trash.js';
import { runAsTask } from '../../volumes/run-as-task.js';
import { type FileAccess, requireNothingDenied, withWorkspace, type Workspace } from '../../workspace/workspace.js';

/** Checks all first. Entries disappear at once; waits for the task that frees their bytes. */
export async function deleteFiles(
  context: FilesContext,
  { paths, ...access }: FileAccess & { readonly paths: readonly Segments[] },
): Promise<void> {
  const removals: Promise<void>[] = [];
  await withWorkspace(context, access, async (workspace) => {
    for (const [i, path] of paths.entries()) await checkOne(workspace, path, `files.${i}`);
    for (const [i, path] of paths.entries()) {
      // possibly deleted with its parent
      const remove = await locate(workspace.root, path, `files.${i}`, async (location) =>
        removeOne(context, workspace, location, isDump(displayPath(path))),
      );
      if (remove) removals.push(runAsTask(context.tasks, 'remove deleted files', remove));
    }
  });
  await Promise.all(removals);
  context.usage.expire(access.grant.serverId);
  fitTrash(context, access.grant);
}

/** To the trash, or else permanently; the returned work frees the bytes. */
async function removeOne(
  context: FilesContext,
  { grant, signal }: Workspace,
  location: Location,
  isPermanent: boolean,
) {
  const { found, directory, missing, name } = location;
  if (missing.length > 0 || !found) return null;
  if (!isPermanent && (await context.trash.put(grant.serverId, { ...location, found }))) return null;
  return context.volumes.discard(directory, name, signal);
}

async function checkOne({ root, guard }: Workspace, path: Segments, field: string): Promise<void> {
  await locateExisting(root, path, field, async ({ found, segments }) => {
    guard.check(displayPath(path), found.stats.isDirectory());
    await requireNothingDenied(guard, found, segments);
  });
}
