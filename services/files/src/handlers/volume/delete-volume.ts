import type { VolumeServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireServerId } from '../../domain/server-id.js';
import { deleteVolume as remove } from '../../usecases/volumes/delete-volume.js';

/** Remove a server's directory with all its content. */
export function deleteVolume(context: FilesContext): Handler<VolumeServiceService['deleteVolume']> {
  return async (request) => {
    await remove(context, requireServerId(request.serverId));
    return {};
  };
}
