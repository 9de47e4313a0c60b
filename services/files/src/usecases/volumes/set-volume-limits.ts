import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';
import type { VolumeLimit } from '../../quotas/disk-quotas.js';

/** Have the kernel hold the disk limits of servers; false where it cannot. */
export async function setVolumeLimits(
  { quotas }: Pick<FilesContext, 'quotas'>,
  limits: readonly VolumeLimit[],
): Promise<boolean> {
  await mapFsErrors(async () => quotas.setLimits(limits));
  return quotas.mount !== null;
}
