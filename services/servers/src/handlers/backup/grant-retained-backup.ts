import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { grantRetainedBackup } from '../../usecases/backups/retained-backups.js';

export function handleGrantRetainedBackup(
  context: ServersContext,
): Handler<BackupServiceService['grantRetainedBackup']> {
  return async ({ backupId }) => grantRetainedBackup(context, backupId);
}
