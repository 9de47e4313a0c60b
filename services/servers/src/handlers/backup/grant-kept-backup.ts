import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { grantKeptBackup } from '../../usecases/backups/kept-backups.js';

export function handleGrantKeptBackup(context: ServersContext): Handler<BackupServiceService['grantKeptBackup']> {
  return async ({ backupId }) => grantKeptBackup(context, backupId);
}
