import { type Handler, requireService } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { requireServerId } from '../domain/server-id.js';
import { diskWork } from '../jail/errno.js';
import { restingHalf } from '../jail/measure.js';
import { volumeOf } from '../jail/volumes.js';
import { digestTree } from '../transfer/digest-tree.js';

/** Read a whole volume and tell what is in it. */
export function verifyVolume({ volumes, temporaries }: FilesContext): Handler<VolumeServiceService['verifyVolume']> {
  return async (request, { actor, signal }) => {
    requireService(actor);
    const serverId = requireServerId(request.serverId);
    const rest = restingHalf(signal);
    return diskWork(async () =>
      volumes.open(volumeOf(serverId), async (root) => digestTree(root, { temporaries, onBytes: rest })),
    );
  };
}
