import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { abandonBackup } from '../../usecases/backups/run-backup.js';

export function handleFailBackup(backups: FilesContext['backups']): Handler<BackupServiceService['failBackup']> {
  return async ({ serverId, backupId, reason, message }) => {
    await abandonBackup(backups, serverId, backupId, reason === '' ? undefined : { reason, message });
    return {};
  };
}
