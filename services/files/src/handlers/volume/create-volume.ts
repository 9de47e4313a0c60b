import type { VolumeServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { createVolume } from '../../usecases/volumes/create-volume.js';
import { readVolumeRequest } from './read-volume-request.js';

export function handleCreateVolume(context: FilesContext): Handler<VolumeServiceService['createVolume']> {
  return async (request) => {
    const { serverId, diskLimitBytes } = readVolumeRequest(request);
    const { path, owner } = await createVolume(context, serverId, diskLimitBytes);
    return { path, ...owner };
  };
}
