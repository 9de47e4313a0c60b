import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';
import type { VolumeLimit } from '../../quotas/disk-quotas.js';

/** False if unsupported. */
export async function setVolumeLimits(
  { quotas }: Pick<FilesContext, 'quotas'>,
  limits: readonly VolumeLimit[],
): Promise<boolean> {
  await mapFsErrors(async () => quotas.setLimits(limits));
  return quotas.mount !== null;
}
