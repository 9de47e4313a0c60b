import type { VolumeServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { listVolumes } from '../../usecases/volumes/list-volumes.js';

export function handleListVolumes(context: FilesContext): Handler<VolumeServiceService['listVolumes']> {
  return async ({ afterServerId }) => ({ serverIds: await listVolumes(context, afterServerId) });
}
