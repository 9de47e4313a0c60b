import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';
import type { Volume } from '../../volumes/volumes.js';

type VolumeDeps = Pick<FilesContext, 'volumes' | 'volumeMutex' | 'quotas'>;

/** Idempotent. `diskLimitBytes` 0: unlimited, undefined: the last limit. */
export async function createVolume(deps: VolumeDeps, serverId: string, diskLimitBytes?: number): Promise<Volume> {
  return withLimit(deps, serverId, diskLimitBytes, async () => deps.volumes.create(serverId));
}

/** Likewise of a volume that is there. Throws VOLUME_NOT_FOUND. */
export async function findVolume(deps: VolumeDeps, serverId: string, diskLimitBytes?: number): Promise<Volume> {
  return withLimit(deps, serverId, diskLimitBytes, async () => deps.volumes.find(serverId));
}

async function withLimit(
  { volumeMutex, quotas }: VolumeDeps,
  serverId: string,
  diskLimitBytes: number | undefined,
  take: () => Promise<Volume>,
): Promise<Volume> {
  return mapFsErrors(async () =>
    volumeMutex.run(serverId, async () => {
      const volume = await take();
      await quotas.hold(serverId, diskLimitBytes);
      return volume;
    }),
  );
}
