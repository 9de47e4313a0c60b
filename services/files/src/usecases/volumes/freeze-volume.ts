import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';

interface Transfer {
  readonly serverId: string;
  readonly operationId: string;
}

/** Or extends a freeze. Throws VOLUME_THAWED. */
export async function freezeVolume(
  { freezes }: Pick<FilesContext, 'freezes'>,
  { serverId, operationId }: Transfer,
  freezeId: string | null,
): Promise<string> {
  return mapFsErrors(async () => {
    if (freezeId === null) return freezes.freeze(serverId, operationId);
    await freezes.extend({ serverId, operationId, freezeId });
    return freezeId;
  });
}

export async function thawVolume(
  { freezes }: Pick<FilesContext, 'freezes'>,
  { serverId, operationId }: Transfer,
): Promise<void> {
  await mapFsErrors(async () => freezes.thaw(serverId, operationId));
}
