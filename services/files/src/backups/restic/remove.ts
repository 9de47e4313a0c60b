import { isAppError } from '@panel/kit/errors';
import { fail } from '../../reasons.js';
import type { BackupRef } from '../storage/backup-storage.js';
import type { ResticRepositories } from './repository.js';
import { unwrittenBytes } from './write.js';

/** `--prune` may copy most of a repository without output. */
const pruneMs = 6 * 60 * 60_000;

/** With their exclusive contents. Idempotent. Throws STORAGE_UNAVAILABLE. */
export async function removeSnapshots(
  repositories: ResticRepositories,
  { serverId, id: tag }: Pick<BackupRef, 'serverId' | 'id'>,
): Promise<void> {
  const { readers, restic, writes } = repositories;
  if (!(await repositories.mayExist(serverId))) return;
  try {
    await writes.run(serverId, { signal: AbortSignal.timeout(pruneMs), patienceMs: 0 }, async ({ signal }) => {
      const ids = await repositories.snapshotsOf(serverId, tag, signal);
      if (ids.length === 0) return;
      await readers.remove(serverId, async (isRead) => {
        // with readers, the next deletion prunes
        const prune = isRead ? [] : ['--prune', '--max-unused', '5%', ...(await repackLimit(repositories))];
        await restic.run(serverId, ['forget', ...prune, ...ids], { signal, idleMs: pruneMs });
      });
    });
  } catch (error) {
    if (isAppError(error, 'BACKUP_MISSING')) return;
    throw isAppError(error, 'BACKUP_TOOL_FAILED')
      ? fail('STORAGE_UNAVAILABLE', error.message, {}, { cause: error })
      : error;
  }
}

/** `--prune` repacks first, and frees nothing when the new packs do not fit. */
async function repackLimit({ floor, minFreeBytes }: ResticRepositories): Promise<string[]> {
  if (!floor) return [];
  const roomBytes = Math.max(0, (await floor.freeBytes()) - minFreeBytes - unwrittenBytes);
  return ['--max-repack-size', String(Math.floor(roomBytes / 2))];
}
