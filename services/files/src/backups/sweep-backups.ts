import { isAppError } from '@panel/kit/errors';
import type { Backup } from '../domain/backup.js';
import type { BackupDeps } from './backup-deps.js';
import { discardBackup } from './discard-backup.js';
import { removeHere } from './remove-backup.js';
import { recordFailure, removeReplaced } from './replace-backup.js';

/** Also finishes interrupted backups, deletions and replacements. */
export async function sweepBackups(context: BackupDeps, signal: AbortSignal): Promise<void> {
  const { attempt, store, storages, nodeId, clock, runs, arriving, log } = context;
  for (const backup of await store.listUnfinished(nodeId, clock())) {
    signal.throwIfAborted();
    await attempt('sweep-backups', backup.id, async () => {
      if (!runs.find(backup.id)) await finish(context, backup);
    });
  }
  await deleteExpired(context, signal);
  for (const storage of storages.all) {
    const isRetained = async ({ id, serverId }: { readonly id: string; readonly serverId: string }) => {
      // before the record: a copy is always in one of the two
      if (arriving.has(id)) return true;
      const backup = await store.find(serverId, id);
      // without a record it stays: a restored database must not cost backups
      if (!backup || backup.storage !== storage.kind) return true;
      const isHere = storage.kind !== 'node' || backup.nodeIds.includes(nodeId);
      if (!isHere && arriving.has(id)) return true;
      return isHere && (backup.state !== 'failed' || runs.find(id) !== undefined);
    };
    try {
      await storage.sweep(isRetained, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error, storage: storage.kind }, 'a backup storage could not be swept');
    }
  }
}

async function finish(context: BackupDeps, backup: Backup): Promise<void> {
  const { store } = context;
  if (backup.state === 'deleting') {
    await removeHere(context, backup);
  } else if (backup.state === 'pending') {
    const message = 'the backup was interrupted before it began';
    await recordFailure(context, backup, { reason: 'BACKUP_INTERRUPTED', message });
  } else if (backup.replacedBy !== null) {
    const replacement = await store.findById(backup.replacedBy);
    if (replacement?.state === 'completed') await removeReplaced(context, replacement.id);
    else if (replacement?.state !== 'pending') await store.undoReplace(backup.id, replacement?.slot ?? null);
  }
}

/** Of deleted servers, after their retention. */
async function deleteExpired(context: BackupDeps, signal: AbortSignal): Promise<void> {
  const { store, storages, nodeId, clock, retentionMs, log } = context;
  if (retentionMs === null) return;
  const before = new Date(clock().getTime() - retentionMs);
  for (const { serverId, id } of await store.listRetainedBefore(nodeId, storages.destinations, before)) {
    signal.throwIfAborted();
    try {
      await discardBackup(context, serverId, id);
    } catch (error) {
      // another node was faster
      if (isAppError(error, 'BACKUP_NOT_FOUND')) continue;
      // in download, or storage unavailable: the next sweep retries
      log.warn({ err: error, backupId: id, serverId }, 'an expired backup could not be deleted');
    }
  }
}
