import type { BackupContent } from '../../backups/storage/backup-storage.js';
import type { FilesContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { findCompleted, openBackup } from './read-backup.js';

/** For another node. Throws BACKUP_NOT_FOUND, BACKUP_NOT_COMPLETED, BACKUP_MISSING. */
export async function openExport(
  { backups }: Pick<FilesContext, 'backups'>,
  { serverId, id }: { readonly serverId: string; readonly id: string },
  signal: AbortSignal,
): Promise<{ readonly content: BackupContent; readonly leave: () => void }> {
  const { storage, nodeIds } = await findCompleted(backups, serverId, id);
  if (storage !== 'node' || !nodeIds.includes(backups.nodeId)) {
    throw fail('BACKUP_MISSING', 'the backup is not on this node');
  }
  return openBackup(backups, { serverId, id, offset: 0, limit: 0 }, signal);
}
