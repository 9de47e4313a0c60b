import { isAppError } from '@panel/kit/errors';
import type { Logger } from '@panel/kit/process';
import type { FilesContext } from '../../context.js';
import { removeStaleUploads } from '../../jail/measure.js';
import { volumeOf } from '../../jail/volumes.js';

/** Remove what interrupted uploads of an earlier process have left in all volumes, so that it no longer counts as used. */
export async function sweepInterruptedUploads(
  { volumes, tempNames, usage, attempt }: Pick<FilesContext, 'volumes' | 'tempNames' | 'usage' | 'attempt'>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  for (const serverId of await volumes.list()) {
    signal.throwIfAborted();
    await attempt('sweep-uploads', serverId, async () => {
      try {
        const removed = await volumes.open(volumeOf(serverId), async (root) =>
          removeStaleUploads(root, { signal, tempNames }),
        );
        if (removed === 0) return;
        usage.expire(serverId);
        log.info({ serverId, removed }, 'removed interrupted uploads');
      } catch (error) {
        if (!isAppError(error, 'VOLUME_NOT_FOUND', 'TREE_MOVED')) throw error;
      }
    });
  }
}
