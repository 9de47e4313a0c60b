import type { Handler } from '@panel/rpc';
import type { VolumeServiceService } from '@panel/protos/files';
import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { FilesContext } from '../../context.js';
import { isDiskLimit } from '../../domain/disk-project.js';
import { setVolumeLimits } from '../../usecases/volumes/set-volume-limits.js';
import { readServerId } from '../read-ids.js';

const maxLimits = 10_000;

export function handleSetVolumeLimits(context: FilesContext): Handler<VolumeServiceService['setVolumeLimits']> {
  return async (request) => {
    if (request.limits.length > maxLimits)
      throw invalidFields({ limits: [fieldProblem('too_long', `must be at most ${maxLimits}`)] });
    const limits = request.limits.map(({ serverId, diskLimitBytes }) => {
      if (!isDiskLimit(diskLimitBytes)) throw invalidFields({ limits: ['must be sizes'] });
      return { serverId: readServerId(serverId), limitBytes: diskLimitBytes };
    });
    return { held: await setVolumeLimits(context, limits) };
  };
}
