import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { grantKeptBackup as grant } from '../../usecases/backups/kept-backups.js';

export function grantKeptBackup(context: ServersContext): Handler<BackupServiceService['grantKeptBackup']> {
  return async ({ backupId }) => grant(context, backupId);
}
