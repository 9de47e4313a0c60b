import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { backupNotFound } from '../../usecases/backups/backup-readers.js';

export function confirmBackup({ backups }: FilesContext): Handler<BackupServiceService['confirmBackup']> {
  return async ({ serverId, backupId }) => {
    if (!(await backups.store.confirm(serverId, backupId))) throw backupNotFound();
    return {};
  };
}
