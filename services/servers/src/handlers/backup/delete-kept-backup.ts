import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteKeptBackup } from '../../usecases/backups/kept-backups.js';

export function handleDeleteKeptBackup(context: ServersContext): Handler<BackupServiceService['deleteKeptBackup']> {
  return async ({ backupId }) => {
    await deleteKeptBackup(context, backupId);
    return {};
  };
}
