import type { Handler } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { requireTransferIds } from '../../domain/transfer.js';
import { mapFsErrors } from '../../jail/errno.js';

/** Let nothing change in a volume that is about to leave. */
export function freezeVolume({ freezes }: FilesContext): Handler<VolumeServiceService['freezeVolume']> {
  return async (request) => {
    const { serverId, operationId } = requireTransferIds(request);
    const { freezeId } = request;
    if (freezeId === '') return { freezeId: await mapFsErrors(async () => freezes.freeze(serverId, operationId)) };
    await mapFsErrors(async () => freezes.extend({ serverId, operationId, freezeId }));
    return { freezeId };
  };
}
