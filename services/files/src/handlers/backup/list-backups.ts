import { Backup, type BackupServiceService } from '@panel/protos/files';
import { type Handler, presentEach } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { listBackups } from '../../usecases/backups/list-backups.js';
import { readGrant } from '../read-grant.js';

export function handleListBackups(context: FilesContext): Handler<BackupServiceService['listBackups']> {
  return async (request, call) => {
    const { serverId } = readGrant(context, request.grant, call.permission);
    return { backups: presentEach(call, await listBackups(context, serverId), presentBackup, Backup) };
  };
}
