import type { Handler } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { freezeVolume } from '../../usecases/volumes/freeze-volume.js';
import { readTransferIds } from '../read-ids.js';

export function handleFreezeVolume(context: FilesContext): Handler<VolumeServiceService['freezeVolume']> {
  return async (request) => {
    const freezeId = request.freezeId === '' ? null : request.freezeId;
    return { freezeId: await freezeVolume(context, readTransferIds(request), freezeId) };
  };
}
