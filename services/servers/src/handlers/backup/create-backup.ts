import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { createBackup } from '../../usecases/backups/create-backup.js';

export function handleCreateBackup(context: ServersContext): Handler<BackupServiceService['createBackup']> {
  return async ({ rotate: isRotating, databases: hasDatabases, ...request }, call) => {
    const backup = await createBackup(context, { ...request, hasDatabases, isRotating }, call);
    return { backup: presentBackup(backup) };
  };
}
