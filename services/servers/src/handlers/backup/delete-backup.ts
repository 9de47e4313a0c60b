import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteBackup } from '../../usecases/backups/delete-backup.js';

export function handleDeleteBackup(context: ServersContext): Handler<BackupServiceService['deleteBackup']> {
  return async (request, call) => {
    await deleteBackup(context, request, call);
    return {};
  };
}
