import type { FilesContext } from '../../context.js';
import { mapFsErrors } from '../../jail/errno.js';
import { dutyCycle } from '../../jail/measure.js';
import { volumeOf } from '../../volumes/volumes.js';
import { digestTree } from '../../transfers/digest-tree.js';
import type { TreeTotals } from '../../transfers/tree-digest.js';

/** Works at most half of the time. */
export async function verifyVolume(
  { volumes, tempNames }: Pick<FilesContext, 'volumes' | 'tempNames'>,
  serverId: string,
  signal: AbortSignal,
): Promise<TreeTotals> {
  const rest = dutyCycle(signal);
  return mapFsErrors(async () =>
    volumes.open(volumeOf(serverId), async (root) => digestTree(root, { tempNames, onBytes: rest })),
  );
}
