import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { deleteBackup } from '../../usecases/backups/delete-backup.js';

export function handleDeleteBackup(backups: FilesContext['backups']): Handler<BackupServiceService['deleteBackup']> {
  return async ({ serverId, backupId }) => ({ backup: presentBackup(await deleteBackup(backups, serverId, backupId)) });
}
