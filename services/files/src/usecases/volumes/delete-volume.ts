import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';
import { fail } from '../../reasons.js';
import { releaseCopies } from '../../backups/receive-archives.js';
import { runAsTask } from '../../volumes/run-as-task.js';

/**
 * One rename; a task removes the content, which may take longer than callers wait. After a crash the next start does.
 */
export async function deleteVolume(context: FilesContext, serverId: string): Promise<void> {
  const { volumes, nodeId, quotas, usage, usages, tasks, volumeMutex, transfers, freezes, trash, uploads, versions } =
    context;
  await context.backups.runs.endRunsOf(serverId, fail('VOLUME_NOT_FOUND', 'the files of the server are being deleted'));
  const remove = await mapFsErrors(async () =>
    volumeMutex.run(serverId, async () => {
      const removal = await volumes.detach(serverId);
      await quotas.release(serverId);
      return removal;
    }),
  );
  usage.forget(serverId);
  await usages.remove(nodeId, serverId);
  if (remove) await runAsTask(tasks, 'remove a volume', remove);
  await mapFsErrors(async () => transfers.onVolumeDeleted(serverId));
  await mapFsErrors(async () => freezes.forget(serverId));
  await mapFsErrors(async () => trash.empty(serverId));
  await mapFsErrors(async () => versions.deleteServer(serverId));
  await uploads.store.deleteServer(serverId);
  await mapFsErrors(async () => uploads.files.deleteServer(serverId));
  await mapFsErrors(async () => releaseCopies(context.backups, serverId));
}
