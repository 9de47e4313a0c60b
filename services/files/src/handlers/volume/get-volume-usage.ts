import type { Handler } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { requireServerId } from '../../domain/server-id.js';
import { mapFsErrors } from '../../jail/errno.js';
import { readKnownUsage } from '../../usecases/volumes/read-usage.js';

/** What a server's directory takes on the disk. */
export function getVolumeUsage(context: FilesContext): Handler<VolumeServiceService['getVolumeUsage']> {
  const { usage } = context;
  return async (request) => {
    const serverId = requireServerId(request.serverId);
    return mapFsErrors(async () => {
      if (request.fresh) return { usedBytes: await usage.readFresh(serverId), recorded: false };
      if (request.recorded) return readKnownUsage(context, serverId);
      return { usedBytes: await usage.read(serverId), recorded: false };
    });
  };
}
