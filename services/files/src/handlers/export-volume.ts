import { type Handler, requireService } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../context.js';
import { diskWork, fromErrno } from '../jail/errno.js';
import { maxPathBytes } from '../jail/sorted-walk.js';
import { batchSteps } from '../transfer/batch-steps.js';
import { exportVolume as stepsOf } from '../transfer/export-volume.js';

/** A target believes a source to be gone after a minute of silence. */
const quietMs = 2_000;

/** Everything in a volume, for another node. */
export function exportVolume(context: FilesContext): Handler<VolumeServiceService['exportVolume']> {
  const { exportGrants, volumes, temporaries } = context;
  return async function* (request, { actor, signal }) {
    requireService(actor);
    const grant = exportGrants.verify(request.grant);
    const { afterPath, partial: kept, acceptsHardLinks } = request;
    if (afterPath.length > maxPathBytes) throw invalidFields({ after_path: ['must be a path of the volume'] });
    if (kept && !(Number.isSafeInteger(kept.bytes) && kept.bytes >= 0)) {
      throw invalidFields({ partial: ['must have a size'] });
    }
    const root = await diskWork(async () => volumes.openRoot(grant.volume));
    try {
      for await (const message of batchSteps(
        stepsOf(root, { afterPath, temporaries, kept, readsEachName: !acceptsHardLinks }),
        { quietMs },
      )) {
        signal.throwIfAborted();
        yield message;
      }
    } catch (error) {
      throw fromErrno(error);
    } finally {
      await root.close();
    }
  };
}
