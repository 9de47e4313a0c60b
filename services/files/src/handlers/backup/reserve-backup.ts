import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireServerId } from '../../domain/server-id.js';
import { requireBackupId } from '../../domain/backup-id.js';
import { presentBackup } from '../../present/backup.js';
import { reserveBackup as reserve } from '../../usecases/backups/reserve-backup.js';

export function reserveBackup({ backups }: FilesContext): Handler<BackupServiceService['reserveBackup']> {
  return async ({ rotate, ...request }) => {
    const serverId = requireServerId(request.serverId);
    const id = requireBackupId(request.backupId);
    return { backup: presentBackup(await reserve(backups, { ...request, serverId, id, isRotating: rotate })) };
  };
}
