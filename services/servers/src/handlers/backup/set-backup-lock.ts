import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { setBackupLock as setLock } from '../../usecases/backups/delete-backup.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function setBackupLock(context: ServersContext): Handler<BackupServiceService['setBackupLock']> {
  return async ({ serverId, backupId, isLocked }, call) => {
    const { server } = await loadServer(context, serverId, call);
    const backup = await setLock(context, server, { backupId, isLocked });
    return { backup: backup && presentBackup(backup) };
  };
}
