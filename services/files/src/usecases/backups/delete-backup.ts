import type { BackupDeps } from '../../backups/backup-deps.js';
import { discardBackup } from '../../backups/discard-backup.js';
import type { Backup } from '../../domain/backup.js';

/** Throws BACKUP_NOT_FOUND, BACKUP_LOCKED, BACKUP_IN_USE, STORAGE_UNAVAILABLE. */
export async function deleteBackup(deps: BackupDeps, serverId: string, id: string): Promise<Backup> {
  return discardBackup(deps, serverId, id);
}
