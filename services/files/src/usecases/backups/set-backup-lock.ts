import type { Backup } from '../../domain/backup.js';
import type { BackupDeps } from '../../backups/backup-deps.js';
import { findCompleted } from './read-backup.js';

/** Null toggles. Throws BACKUP_NOT_FOUND, BACKUP_NOT_COMPLETED for a failed one. */
export async function setBackupLock(
  context: BackupDeps,
  serverId: string,
  id: string,
  isLocked: boolean | null,
): Promise<Backup> {
  return (await context.store.setLock(serverId, id, isLocked)) ?? findCompleted(context, serverId, id);
}
