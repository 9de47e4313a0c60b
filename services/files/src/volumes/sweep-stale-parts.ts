import { isAppError } from '@panel/kit/errors';
import type { Jobs, Logger } from '@panel/kit/process';
import { removeStaleUploads } from '../jail/measure.js';
import type { TempNames } from '../jail/temp-names.js';
import type { UsageMeter } from './usage.js';
import { volumeOf, type Volumes } from './volumes.js';

interface StalePartsDeps {
  readonly volumes: Pick<Volumes, 'list' | 'open'>;
  readonly tempNames: TempNames;
  readonly usage: Pick<UsageMeter, 'expire'>;
  readonly attempt: Jobs['attempt'];
}

/** Removes those of an earlier process. */
export async function sweepStaleParts(
  { volumes, tempNames, usage, attempt }: StalePartsDeps,
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
