import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { findBackup } from '../../usecases/backups/read-backup.js';
import { readGrant } from '../read-grant.js';

export function handleGetBackup(context: FilesContext): Handler<BackupServiceService['getBackup']> {
  const { backups } = context;
  return async (request, { permission }) => {
    const { serverId } = readGrant(context, request.grant, permission);
    const backup = await findBackup(backups, serverId, request.backupId);
    return { backup: presentBackup(backup), withinReach: backups.storages.reaches(backup) };
  };
}
