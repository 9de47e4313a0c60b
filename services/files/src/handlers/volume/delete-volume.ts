import type { VolumeServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { deleteVolume } from '../../usecases/volumes/delete-volume.js';
import { readServerId } from '../read-ids.js';

export function handleDeleteVolume(context: FilesContext): Handler<VolumeServiceService['deleteVolume']> {
  return async (request) => {
    await deleteVolume(context, readServerId(request.serverId));
    return {};
  };
}
