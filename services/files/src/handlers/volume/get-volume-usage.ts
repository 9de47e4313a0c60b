import type { Handler } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { requireServerId } from '../../domain/server-id.js';
import { mapFsErrors } from '../../jail/errno.js';

/** What a server's directory takes on the disk. */
export function getVolumeUsage({ usage }: FilesContext): Handler<VolumeServiceService['getVolumeUsage']> {
  return async (request) => {
    const serverId = requireServerId(request.serverId);
    return {
      usedBytes: await mapFsErrors(async () => (request.fresh ? usage.readFresh(serverId) : usage.read(serverId))),
    };
  };
}
