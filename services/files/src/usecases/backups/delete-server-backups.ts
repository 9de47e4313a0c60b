import type { BackupDeps } from '../../backups/backup-deps.js';
import { abortRun, removeBytes } from '../../backups/discard-backup.js';
import { markDeleting } from '../../backups/remove-backup.js';
import type { Retention } from '../../domain/backup.js';

/** With `keep`, completed ones stay. */
export async function deleteServerBackups(
  context: BackupDeps,
  serverId: string,
  keep: Omit<Retention, 'at'> | null,
): Promise<void> {
  const { store, storages, log, clock } = context;
  for (const backup of await store.listAll(serverId)) {
    if (keep && backup.state === 'completed') {
      await store.retain(backup.id, { ...keep, at: clock() });
      continue;
    }
    await abortRun(context, backup);
    await store.setLock(serverId, backup.id, false);
    await markDeleting(context, backup);
    await removeBytes(context, backup);
  }
  if (keep) return;
  for (const storage of storages.all) {
    try {
      await storage.deleteServer(serverId);
    } catch (error) {
      log.warn({ err: error, serverId, storage: storage.kind }, 'backups of a deleted server are left to the sweep');
    }
  }
}
