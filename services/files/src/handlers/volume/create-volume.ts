import { invalidFields } from '@panel/kit/errors';
import type { VolumeServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { isDiskLimit } from '../../domain/disk-project.js';
import { createVolume } from '../../usecases/volumes/create-volume.js';
import { readServerId } from '../read-ids.js';

export function handleCreateVolume(context: FilesContext): Handler<VolumeServiceService['createVolume']> {
  return async (request) => {
    const { diskLimitBytes } = request;
    if (diskLimitBytes !== undefined && !isDiskLimit(diskLimitBytes)) {
      throw invalidFields({ disk_limit_bytes: ['must be a size'] });
    }
    const { path, owner } = await createVolume(context, readServerId(request.serverId), diskLimitBytes);
    return { path, uid: owner.uid, gid: owner.gid };
  };
}
