import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { reserveBackup } from '../../usecases/backups/reserve-backup.js';
import { readId, readServerId } from '../read-ids.js';

export function handleReserveBackup(backups: FilesContext['backups']): Handler<BackupServiceService['reserveBackup']> {
  return async ({ rotate, ...request }) => {
    const serverId = readServerId(request.serverId);
    const id = readId(request.backupId, 'backup_id');
    return { backup: presentBackup(await reserveBackup(backups, { ...request, serverId, id, isRotating: rotate })) };
  };
}
