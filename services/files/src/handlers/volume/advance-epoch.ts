import type { VolumeServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { advanceEpoch } from '../../usecases/volumes/advance-epoch.js';

export function handleAdvanceEpoch(context: FilesContext): Handler<VolumeServiceService['advanceEpoch']> {
  return async (request) => {
    await advanceEpoch(context, request);
    return {};
  };
}
