import type { Handler } from '@panel/rpc';
import type { DeleteFilesRequest, FileServiceService } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { checkCount, parseBelow, parseRoot } from '../domain/file-list.js';
import { displayPath, type Segments } from '../jail/path.js';
import { locate, locateExisting } from '../jail/place.js';
import { runAsTask } from '../run-as-task.js';
import { requireNothingDenied, withWorkspace, type Workspace } from '../workspace.js';

/**
 * Delete files and directories. Everything is looked at first. What goes is out of sight at once; its bytes go as a task,
 * which a caller may wait for.
 */
export function deleteFiles(context: FilesContext): Handler<FileServiceService['deleteFiles']> {
  return async (request, { signal }) => {
    const paths = pathsOf(request);
    const access = { grant: request.grant, permission: 'file.delete', signal } as const;
    const removals: Promise<void>[] = [];
    const serverId = await withWorkspace(context, access, async (workspace) => {
      for (const [i, path] of paths.entries()) await checkOne(workspace, path, `files.${i}`);
      for (const [i, path] of paths.entries()) {
        // one that went with its directory, which was also named, is gone already
        const remove = await locate(workspace.root, path, `files.${i}`, async ({ directory, missing, name }) =>
          missing.length > 0 ? null : context.volumes.discard(directory, name, workspace.signal),
        );
        if (remove) removals.push(runAsTask(context.tasks, 'remove deleted files', remove));
      }
      return workspace.grant.serverId;
    });
    await Promise.all(removals);
    context.usage.expire(serverId);
    return {};
  };
}

function pathsOf(request: DeleteFilesRequest): Segments[] {
  checkCount(request.files);
  const root = parseRoot(request.root);
  return request.files.map((file, i) => parseBelow(root, file, `files.${i}`));
}

async function checkOne({ root, denylist }: Workspace, path: Segments, field: string): Promise<void> {
  await locateExisting(root, path, field, async ({ found, segments }) => {
    denylist.check(displayPath(path), found.stats.isDirectory());
    await requireNothingDenied(denylist, found.node, found.stats, segments);
  });
}
