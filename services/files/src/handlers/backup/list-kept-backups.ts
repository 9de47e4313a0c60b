import { type BackupServiceService, KeptBackup } from '@panel/protos/files';
import { type Handler, presentEach } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentKeptBackup } from '../../present/backup.js';
import { listKeptBackups } from '../../usecases/backups/list-backups.js';

export function handleListKeptBackups(context: FilesContext): Handler<BackupServiceService['listKeptBackups']> {
  return async ({ backupId }, call) => {
    const { backups, keptForMs } = await listKeptBackups(context.backups, backupId === '' ? null : backupId);
    return { backups: presentEach(call, backups, (one) => presentKeptBackup(one, keptForMs), KeptBackup) };
  };
}
