import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireUnrestricted } from '../../domain/grant.js';
import { presentBackupFile } from '../../present/backup.js';
import { listBackupFiles } from '../../usecases/backups/read-backup.js';
import { readGrant } from '../read-grant.js';

export function handleListBackupFiles(context: FilesContext): Handler<BackupServiceService['listBackupFiles']> {
  const { backups } = context;
  return async (request, { permission, signal }) => {
    const { serverId } = requireUnrestricted(readGrant(context, request.grant, permission));
    const { backupId: id, path } = request;
    const { entries, isTruncated } = await listBackupFiles(backups, { serverId, id, path }, signal);
    return { files: entries.map(presentBackupFile), truncated: isTruncated };
  };
}
