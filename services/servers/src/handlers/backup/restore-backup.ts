import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { restoreBackup } from '../../usecases/backups/restore-backup.js';

export function handleRestoreBackup(context: ServersContext): Handler<BackupServiceService['restoreBackup']> {
  return async ({ serverId, backupId, truncate: isTruncating, paths, databases: hasDatabases }, call) => {
    const choice = { backupId, isTruncating, paths, hasDatabases };
    return { operationId: await restoreBackup(context, serverId, choice, call) };
  };
}
