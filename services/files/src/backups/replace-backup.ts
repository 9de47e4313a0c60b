import { type Backup, replacementWarning } from '../domain/backup.js';
import type { BackupDeps } from './backup-deps.js';
import { markDeleting, removeHere } from './remove-backup.js';

/** One that has much more than its replacement stays, beyond the limit, and the replacement gets a warning. */
export async function removeReplaced(
  { store, storages, nodeId, readers, log }: Pick<BackupDeps, 'store' | 'storages' | 'nodeId' | 'readers' | 'log'>,
  byId: string,
): Promise<void> {
  const replacement = await store.findById(byId);
  if (!replacement) return;
  for (const replaced of await store.listReplacedBy(byId)) {
    try {
      const warning = replacementWarning(replacement, replaced);
      if (warning !== null) {
        log.warn({ backupId: byId, replacedId: replaced.id, serverId: replaced.serverId }, warning);
        await store.warn(byId, warning);
        await store.undoReplace(replaced.id, null);
        continue;
      }
      await readers.exclude(replaced.id, async () => {
        const isDeleted = !replaced.isLocked && (await markDeleting({ store, storages, nodeId }, replaced));
        if (isDeleted) await removeHere({ store, storages, nodeId }, replaced);
        // now locked: it stays, beyond the limit
        else await store.undoReplace(replaced.id, null);
      });
    } catch (error) {
      log.warn({ err: error, backupId: replaced.id }, 'a replaced backup is left to the sweep');
    }
  }
}

/** Returns slots to the backups a failed one was to replace. */
export async function restoreReplaced({ store }: Pick<BackupDeps, 'store'>, failed: Backup): Promise<void> {
  for (const replaced of await store.listReplacedBy(failed.id)) await store.undoReplace(replaced.id, failed.slot);
}

/** In one critical section, returns the slot to the backup it was to replace. */
export async function recordFailure(
  { store, mutex }: Pick<BackupDeps, 'store' | 'mutex'>,
  backup: Backup,
  { reason, message }: { readonly reason: string; readonly message: string },
): Promise<boolean> {
  return mutex.run(backup.serverId, async () => {
    const hasFailed = await store.fail(backup.id, reason, message);
    if (hasFailed) await restoreReplaced({ store }, backup);
    return hasFailed;
  });
}
