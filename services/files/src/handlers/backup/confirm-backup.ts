import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { confirmBackup } from '../../usecases/backups/confirm-backup.js';

export function handleConfirmBackup(backups: FilesContext['backups']): Handler<BackupServiceService['confirmBackup']> {
  return async ({ serverId, backupId }) => {
    const { backup, isRunning } = await confirmBackup(backups, serverId, backupId);
    return { backup: presentBackup(backup), isRunning };
  };
}
