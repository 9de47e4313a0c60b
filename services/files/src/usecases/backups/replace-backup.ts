import type { Backup } from '../../domain/backup.js';
import type { BackupsContext } from './backups-context.js';
import { removeHere } from './remove-backup.js';

/** Remove the backups that a completed one replaces. */
export async function removeReplaced(
  { store, storages, nodeId, log }: Pick<BackupsContext, 'store' | 'storages' | 'nodeId' | 'log'>,
  byId: string,
): Promise<void> {
  for (const replaced of await store.listReplacedBy(byId)) {
    // locked meanwhile: it stays, and counts no more
    if (replaced.isLocked || !(await store.beginDelete(replaced.serverId, replaced.id))) {
      await store.undoReplace(replaced.id, null);
      continue;
    }
    try {
      await removeHere({ store, storages, nodeId }, replaced);
    } catch (error) {
      log.warn({ err: error, backupId: replaced.id }, 'a replaced backup is left to the sweep');
    }
  }
}

/** Give the backups their slots back that a failed one was to replace. */
export async function restoreReplaced({ store }: Pick<BackupsContext, 'store'>, failed: Backup): Promise<void> {
  for (const replaced of await store.listReplacedBy(failed.id)) await store.undoReplace(replaced.id, failed.slot);
}
