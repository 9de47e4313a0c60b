import type { Handler } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { presentProgress } from '../../present/transfer-progress.js';
import { receiveVolume } from '../../usecases/volumes/receive-volume.js';
import { readAddress, readTransferIds } from '../read-ids.js';

export function handleReceiveVolume(context: FilesContext): Handler<VolumeServiceService['receiveVolume']> {
  return async function* (request, call) {
    const { grant } = request;
    const wanted = { ...readTransferIds(request), sourceAddress: readAddress(request.sourceAddress), grant };
    for await (const { progress, finished } of receiveVolume(context, wanted, call)) {
      const message = presentProgress(progress);
      yield finished ? { ...message, end: { $case: 'finished', value: finished } } : message;
    }
  };
}
