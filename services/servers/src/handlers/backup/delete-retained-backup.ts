import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteRetainedBackup } from '../../usecases/backups/retained-backups.js';

export function handleDeleteRetainedBackup(
  context: ServersContext,
): Handler<BackupServiceService['deleteRetainedBackup']> {
  return async ({ backupId }) => {
    await deleteRetainedBackup(context, backupId);
    return {};
  };
}
