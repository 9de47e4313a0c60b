import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { deleteBackup as remove } from '../../usecases/backups/delete-backup.js';

export function deleteBackup({ backups }: FilesContext): Handler<BackupServiceService['deleteBackup']> {
  return async ({ serverId, backupId }) => ({ backup: presentBackup(await remove(backups, serverId, backupId)) });
}
