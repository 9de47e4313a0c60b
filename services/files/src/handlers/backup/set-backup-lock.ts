import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { setBackupLock } from '../../usecases/backups/set-backup-lock.js';

export function handleSetBackupLock(backups: FilesContext['backups']): Handler<BackupServiceService['setBackupLock']> {
  return async ({ serverId, backupId, isLocked }) => ({
    backup: presentBackup(await setBackupLock(backups, serverId, backupId, isLocked ?? null)),
  });
}
