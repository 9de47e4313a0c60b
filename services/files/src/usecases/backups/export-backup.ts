import type { BackupDeps } from '../../backups/backup-deps.js';
import type { BackupContent } from '../../backups/storage/backup-storage.js';
import { fail } from '../../reasons.js';
import { findCompleted, openBackup } from './read-backup.js';

/** The bytes of a backup for another node. Throws BACKUP_NOT_FOUND, BACKUP_NOT_COMPLETED, BACKUP_MISSING. */
export async function openExport(
  context: BackupDeps,
  { serverId, id }: { readonly serverId: string; readonly id: string },
  signal: AbortSignal,
): Promise<{ readonly content: BackupContent; readonly leave: () => void }> {
  const { storage, nodeIds } = await findCompleted(context, serverId, id);
  if (storage !== 'node' || !nodeIds.includes(context.nodeId)) {
    throw fail('BACKUP_MISSING', 'the backup is not on this node');
  }
  return openBackup(context, { serverId, id, offset: 0, limit: 0 }, signal);
}
