import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { locateBackup } from '../../usecases/backups/read-backup.js';
import { readGrant } from '../read-grant.js';

export function handleGetBackup(context: FilesContext): Handler<BackupServiceService['getBackup']> {
  return async (request, { permission }) => {
    const { serverId } = readGrant(context, request.grant, permission);
    const { backups } = context;
    const { backup, isWithinReach, dataRootIds } = await locateBackup(backups, serverId, request.backupId);
    return { backup: presentBackup(backup), withinReach: isWithinReach, dataRootIds };
  };
}
