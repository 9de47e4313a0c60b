import { type Handler, requireService } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { requireServerId } from '../domain/server-id.js';
import { diskWork } from '../jail/errno.js';
import { runAsTask } from '../run-as-task.js';

/**
 * Take a server's directory away. It is out of sight at once, in one rename; its content goes as a task of the process,
 * because a large one takes longer than any caller waits, and what a crash leaves in the trash is removed at the next start.
 */
export function deleteVolume(context: FilesContext): Handler<VolumeServiceService['deleteVolume']> {
  const { volumes, usage, tasks, volumeLock, transfers, freezes } = context;
  return async (request, { actor }) => {
    requireService(actor);
    const serverId = requireServerId(request.serverId);
    const remove = await diskWork(async () => volumeLock(serverId, async () => volumes.detach(serverId)));
    usage.forget(serverId);
    if (remove) await runAsTask(tasks, 'remove a volume', remove);
    await diskWork(async () => transfers.volumeGone(serverId));
    await diskWork(async () => freezes.forget(serverId));
    return {};
  };
}
