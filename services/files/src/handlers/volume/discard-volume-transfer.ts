import type { Handler } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { requireTransferIds } from '../../domain/transfer.js';
import { mapFsErrors } from '../../jail/errno.js';
import { releaseCopies } from '../../backups/receive-archives.js';

/** Give a transfer to this node up, and undo it. */
export function discardVolumeTransfer({
  transfers,
  backups,
}: FilesContext): Handler<VolumeServiceService['discardVolumeTransfer']> {
  return async (request) => {
    const { serverId, operationId } = requireTransferIds(request);
    await mapFsErrors(async () => transfers.discard(serverId, operationId));
    await mapFsErrors(async () => releaseCopies(backups, serverId));
    return {};
  };
}
