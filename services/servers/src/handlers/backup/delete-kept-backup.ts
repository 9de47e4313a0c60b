import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteKeptBackup as remove } from '../../usecases/backups/kept-backups.js';

export function deleteKeptBackup(context: ServersContext): Handler<BackupServiceService['deleteKeptBackup']> {
  return async ({ backupId }) => {
    await remove(context, backupId);
    return {};
  };
}
