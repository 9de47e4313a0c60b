import type { VolumeServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { verifyVolume } from '../../usecases/volumes/verify-volume.js';
import { readServerId } from '../read-ids.js';

export function handleVerifyVolume(context: FilesContext): Handler<VolumeServiceService['verifyVolume']> {
  return async (request, { signal }) => {
    return verifyVolume(context, readServerId(request.serverId), signal);
  };
}
