import type { Handler } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import { invalidFields } from '@panel/kit/errors';
import type { FilesContext } from '../../context.js';
import { maxPathBytes } from '../../domain/path.js';
import { exportVolume } from '../../usecases/volumes/export-volume.js';
import { readExportGrant } from '../read-grant.js';

export function handleExportVolume(context: FilesContext): Handler<VolumeServiceService['exportVolume']> {
  return async function* (request, { signal }) {
    const { volume } = readExportGrant(context, request.grant);
    const { afterPath, partial } = request;
    if (afterPath.length > maxPathBytes) throw invalidFields({ after_path: ['must be a path of the volume'] });
    if (partial && !(Number.isSafeInteger(partial.bytes) && partial.bytes >= 0)) {
      throw invalidFields({ partial: ['must have a size'] });
    }
    yield* exportVolume(context, { volume, afterPath, partial }, signal);
  };
}
