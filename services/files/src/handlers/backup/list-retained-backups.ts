import { type BackupServiceService, RetainedBackup } from '@panel/protos/files';
import { type Handler, presentEach } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentRetainedBackup } from '../../present/backup.js';
import { listRetainedBackups } from '../../usecases/backups/list-backups.js';

export function handleListRetainedBackups(
  backupDeps: FilesContext['backups'],
): Handler<BackupServiceService['listRetainedBackups']> {
  return async ({ backupId }, call) => {
    const { backups, retentionMs } = await listRetainedBackups(backupDeps, backupId === '' ? null : backupId);
    return { backups: presentEach(call, backups, (one) => presentRetainedBackup(one, retentionMs), RetainedBackup) };
  };
}
