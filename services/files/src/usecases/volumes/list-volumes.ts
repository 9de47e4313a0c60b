import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';

const pageSize = 1_000;

/** A page of server ids in their order. Throws DATA_ROOT_GONE. */
export async function listVolumes(
  { volumes }: Pick<FilesContext, 'volumes'>,
  afterServerId: string,
): Promise<string[]> {
  const all = await mapFsErrors(async () => volumes.list());
  return all
    .filter((serverId) => serverId > afterServerId)
    .toSorted()
    .slice(0, pageSize);
}
