import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { presentBackup } from '../../present/backup.js';
import { findBackup } from '../../usecases/backups/read-backup.js';

export function getBackup({ grants, backups }: FilesContext): Handler<BackupServiceService['getBackup']> {
  return async (request, { permission }) => {
    const { serverId } = requireGrant(grants.verify(request.grant), permission);
    return { backup: presentBackup(await findBackup(backups, serverId, request.backupId)) };
  };
}
