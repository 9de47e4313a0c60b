import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';
import type { Owner } from '../../jail/owner.js';

/** Idempotent. `diskLimitBytes` 0: unlimited, undefined: the last limit. */
export async function createVolume(
  { volumes, volumeMutex, quotas }: Pick<FilesContext, 'volumes' | 'volumeMutex' | 'quotas'>,
  serverId: string,
  diskLimitBytes?: number,
): Promise<{ readonly path: string; readonly owner: Owner }> {
  return mapFsErrors(async () =>
    volumeMutex.run(serverId, async () => {
      const volume = await volumes.create(serverId);
      await quotas.hold(serverId, diskLimitBytes);
      return volume;
    }),
  );
}
