import type { Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit/errors';
import type { VolumeServiceService } from '@panel/protos/files';
import type { FilesContext } from '../../context.js';
import { mapFsErrors, fromErrno } from '../../jail/errno.js';
import { maxPathBytes } from '../../jail/sorted-walk.js';
import { batchSteps } from '../../usecases/transfers/batch-steps.js';
import { exportVolume as stepsOf } from '../../usecases/transfers/export-volume.js';

/** Keep-alive interval; a target gives a source up after one idle minute. */
const keepAliveMs = 2_000;

/** Everything in a volume, for another node. */
export function exportVolume(context: FilesContext): Handler<VolumeServiceService['exportVolume']> {
  const { exportGrants, volumes, tempNames } = context;
  return async function* (request, { signal }) {
    const grant = exportGrants.verify(request.grant);
    const { afterPath, partial, acceptsHardLinks } = request;
    if (afterPath.length > maxPathBytes) throw invalidFields({ after_path: ['must be a path of the volume'] });
    if (partial && !(Number.isSafeInteger(partial.bytes) && partial.bytes >= 0)) {
      throw invalidFields({ partial: ['must have a size'] });
    }
    const root = await mapFsErrors(async () => volumes.openRoot(grant.volume));
    try {
      for await (const message of batchSteps(
        stepsOf(root, { afterPath, tempNames, partial, readsEachName: !acceptsHardLinks }),
        { keepAliveMs },
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
