import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';
import type { Owner } from '../../jail/owner.js';

/** Make the directory of a server unless it exists, and hold its disk limit: 0 for none, undefined for the last one. */
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
