import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';
import type { Owner } from '../../jail/volumes.js';

/** Make the directory of a server unless it exists. */
export async function createVolume(
  { volumes, volumeMutex }: Pick<FilesContext, 'volumes' | 'volumeMutex'>,
  serverId: string,
): Promise<{ readonly path: string; readonly owner: Owner }> {
  return mapFsErrors(async () => volumeMutex.run(serverId, async () => volumes.create(serverId)));
}
