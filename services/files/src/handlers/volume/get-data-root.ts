import type { Handler } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';

/** How much room the volumes of this node have. */
export function getDataRoot({ volumes }: FilesContext): Handler<VolumeServiceService['getDataRoot']> {
  return async () => {
    return mapFsErrors(async () => volumes.space());
  };
}
