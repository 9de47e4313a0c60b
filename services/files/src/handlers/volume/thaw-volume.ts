import type { Handler } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { requireTransferIds } from '../../domain/transfer.js';
import { mapFsErrors } from '../../jail/errno.js';

/** The volume stays: it may be changed again. */
export function thawVolume({ freezes }: FilesContext): Handler<VolumeServiceService['thawVolume']> {
  return async (request) => {
    const { serverId, operationId } = requireTransferIds(request);
    await mapFsErrors(async () => freezes.thaw(serverId, operationId));
    return {};
  };
}
