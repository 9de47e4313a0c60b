import { Backup, type BackupServiceService } from '@panel/protos/files';
import { type Handler, presentEach } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireGrant } from '../../domain/grant.js';
import { presentBackup } from '../../present/backup.js';

export function listBackups({ grants, backups }: FilesContext): Handler<BackupServiceService['listBackups']> {
  return async (request, call) => {
    const { permission } = call;
    const { serverId } = requireGrant(grants.verify(request.grant), permission);
    return { backups: presentEach(call, await backups.store.list(serverId), presentBackup, Backup) };
  };
}
