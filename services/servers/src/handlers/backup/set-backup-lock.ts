import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { setBackupLock } from '../../usecases/backups/delete-backup.js';

export function handleSetBackupLock(context: ServersContext): Handler<BackupServiceService['setBackupLock']> {
  return async (request, call) => {
    const backup = await setBackupLock(context, request, call);
    return { backup: backup && presentBackup(backup) };
  };
}
