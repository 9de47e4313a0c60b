import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant, requireUnrestricted } from '../../domain/grant.js';
import { presentBackupFile } from '../../present/backup.js';
import { listBackupFiles as list } from '../../usecases/backups/read-backup.js';

export function listBackupFiles({ grants, backups }: FilesContext): Handler<BackupServiceService['listBackupFiles']> {
  return async (request, { permission, signal }) => {
    const { serverId } = requireUnrestricted(requireGrant(grants.verify(request.grant), permission));
    const { backupId: id, path } = request;
    const { entries, isTruncated } = await list(backups, { serverId, id, path }, signal);
    return { files: entries.map(presentBackupFile), truncated: isTruncated };
  };
}
