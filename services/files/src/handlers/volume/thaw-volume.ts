import type { Handler } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { thawVolume } from '../../usecases/volumes/freeze-volume.js';
import { readTransferIds } from '../read-ids.js';

export function handleThawVolume(context: FilesContext): Handler<VolumeServiceService['thawVolume']> {
  return async (request) => {
    await thawVolume(context, readTransferIds(request));
    return {};
  };
}
