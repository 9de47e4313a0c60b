import { backupNotFound } from '../../backups/backup-readers.js';
import type { BackupDeps } from '../../backups/backup-deps.js';
import type { Backup } from '../../domain/backup.js';

/** The caller must then run it. Throws BACKUP_NOT_FOUND. */
export async function confirmBackup(
  { store, runs }: Pick<BackupDeps, 'store' | 'runs'>,
  serverId: string,
  id: string,
): Promise<{ readonly backup: Backup; readonly isRunning: boolean }> {
  const backup = await store.confirm(serverId, id);
  if (!backup) throw backupNotFound();
  return { backup, isRunning: runs.find(id) !== undefined };
}
