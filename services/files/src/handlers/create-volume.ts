import { type Handler, requireService } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { requireServerId } from '../domain/server-id.js';
import { diskWork } from '../jail/errno.js';

/** Make a server's directory, and say where it is and whose. */
export function createVolume({ volumes, volumeLock }: FilesContext): Handler<VolumeServiceService['createVolume']> {
  return async (request, { actor }) => {
    requireService(actor);
    const serverId = requireServerId(request.serverId);
    const { path, owner } = await diskWork(async () => volumeLock(serverId, async () => volumes.create(serverId)));
    return { path, uid: owner.uid, gid: owner.gid };
  };
}
