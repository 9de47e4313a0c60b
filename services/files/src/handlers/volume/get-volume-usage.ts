import type { Handler } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { readUsage } from '../../usecases/volumes/read-usage.js';
import { readServerId } from '../read-ids.js';

export function handleGetVolumeUsage(context: FilesContext): Handler<VolumeServiceService['getVolumeUsage']> {
  return async ({ serverId, ownerId, fresh, recorded }) => {
    const volume = { serverId: readServerId(serverId), ownerId };
    return readUsage(context, volume, fresh ? 'fresh' : recorded ? 'recorded' : 'recent');
  };
}
