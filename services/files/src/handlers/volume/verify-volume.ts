import type { VolumeServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireServerId } from '../../domain/server-id.js';
import { verifyVolume as verify } from '../../usecases/volumes/verify-volume.js';

/** Read a whole volume and return its digest. */
export function verifyVolume(context: FilesContext): Handler<VolumeServiceService['verifyVolume']> {
  return async (request, { signal }) => {
    return verify(context, requireServerId(request.serverId), signal);
  };
}
