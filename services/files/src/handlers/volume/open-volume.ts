import type { VolumeServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { findVolume } from '../../usecases/volumes/create-volume.js';
import { readVolumeRequest } from './read-volume-request.js';

export function handleOpenVolume(context: FilesContext): Handler<VolumeServiceService['openVolume']> {
  return async (request) => {
    const { serverId, diskLimitBytes } = readVolumeRequest(request);
    const { path, owner } = await findVolume(context, serverId, diskLimitBytes);
    return { path, ...owner };
  };
}
