import type { Handler } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { discardVolumeTransfer } from '../../usecases/volumes/discard-volume-transfer.js';
import { readTransferIds } from '../read-ids.js';

export function handleDiscardVolumeTransfer(
  context: FilesContext,
): Handler<VolumeServiceService['discardVolumeTransfer']> {
  return async (request) => {
    await discardVolumeTransfer(context, readTransferIds(request));
    return {};
  };
}
