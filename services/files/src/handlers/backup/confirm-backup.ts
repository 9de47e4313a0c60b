import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { backupNotFound } from '../../backups/backup-readers.js';

export function confirmBackup({ backups }: FilesContext): Handler<BackupServiceService['confirmBackup']> {
  return async ({ serverId, backupId }) => {
    const backup = await backups.store.confirm(serverId, backupId);
    if (!backup) throw backupNotFound();
    return { backup: presentBackup(backup), isRunning: backups.runs.find(backupId) !== undefined };
  };
}
