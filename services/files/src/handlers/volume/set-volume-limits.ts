import { invalidFields } from '@panel/kit/errors';
import type { VolumeServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { isDiskLimit } from '../../domain/disk-project.js';
import { requireServerId } from '../../domain/server-id.js';
import { mapFsErrors } from '../../jail/errno.js';

const maxLimits = 10_000;

/** Have the kernel hold the disk limits of servers, where it can. */
export function setVolumeLimits({ quotas }: FilesContext): Handler<VolumeServiceService['setVolumeLimits']> {
  return async (request) => {
    if (request.limits.length > maxLimits) throw invalidFields({ limits: [`must be at most ${maxLimits}`] });
    const limits = request.limits.map(({ serverId, diskLimitBytes }) => {
      if (!isDiskLimit(diskLimitBytes)) throw invalidFields({ limits: ['must be sizes'] });
      return { serverId: requireServerId(serverId), limitBytes: diskLimitBytes };
    });
    await mapFsErrors(async () => quotas.setLimits(limits));
    return { held: quotas.mount !== null };
  };
}
