import { invalidFields } from '@panel/kit/errors';
import type { CreateVolumeRequest, VolumeServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { isDiskLimit } from '../../domain/disk-project.js';
import { createVolume, findVolume } from '../../usecases/volumes/create-volume.js';
import { readServerId } from '../read-ids.js';

export function handleCreateVolume(context: FilesContext): Handler<VolumeServiceService['createVolume']> {
  return async (request) => {
    const { serverId, diskLimitBytes } = readVolumeRequest(request);
    const { path, owner } = await createVolume(context, serverId, diskLimitBytes);
    return { path, ...owner };
  };
}

export function handleOpenVolume(context: FilesContext): Handler<VolumeServiceService['openVolume']> {
  return async (request) => {
    const { serverId, diskLimitBytes } = readVolumeRequest(request);
    const { path, owner } = await findVolume(context, serverId, diskLimitBytes);
    return { path, ...owner };
  };
}

function readVolumeRequest({ serverId, diskLimitBytes }: CreateVolumeRequest): CreateVolumeRequest {
  if (diskLimitBytes !== undefined && !isDiskLimit(diskLimitBytes)) {
    throw invalidFields({ disk_limit_bytes: ['must be a size'] });
  }
  return { serverId: readServerId(serverId), diskLimitBytes };
}
