import { isAppError } from '@panel/kit/errors';
import type { FilesContext } from '../../context.js';
import { measureTree } from '../../jail/measure.js';
import { volumeOf } from '../../volumes/volumes.js';

const defaultLimits = { totalMs: 5_000, volumeMs: 1_000 };

interface VolumeSize {
  readonly serverId: string;
  readonly sizeBytes: number;
}

/** One volume after another, as far as time suffices. Records nothing. Lacks volumes that are not there or took longer. */
export async function measureVolumes(
  { volumes, tempNames, tasks, attempt }: Pick<FilesContext, 'volumes' | 'tempNames' | 'tasks' | 'attempt'>,
  serverIds: readonly string[],
  { totalMs, volumeMs } = defaultLimits,
): Promise<VolumeSize[]> {
  const end = AbortSignal.any([tasks.signal, AbortSignal.timeout(totalMs)]);
  const sizes: VolumeSize[] = [];
  for (const serverId of serverIds) {
    if (end.aborted) break;
    const signal = AbortSignal.any([end, AbortSignal.timeout(volumeMs)]);
    await attempt('measure-volumes', serverId, async () => {
      try {
        const sizeBytes = await volumes.open(volumeOf(serverId), async (root) =>
          measureTree(root, { signal, tempNames }),
        );
        sizes.push({ serverId, sizeBytes });
      } catch (error) {
        if (!signal.aborted && !isAppError(error, 'VOLUME_NOT_FOUND', 'TREE_MOVED')) throw error;
      }
    });
  }
  return sizes;
}
