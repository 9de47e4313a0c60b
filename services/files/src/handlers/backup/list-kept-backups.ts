import { type BackupServiceService, KeptBackup } from '@panel/protos/files';
import { type Handler, presentEach } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentKeptBackup } from '../../present/backup.js';
import { listRetainedBackups } from '../../usecases/backups/list-backups.js';

export function handleListKeptBackups(
  backupDeps: FilesContext['backups'],
): Handler<BackupServiceService['listKeptBackups']> {
  return async ({ backupId }, call) => {
    const { backups, retentionMs } = await listRetainedBackups(backupDeps, backupId === '' ? null : backupId);
    return { backups: presentEach(call, backups, (one) => presentKeptBackup(one, retentionMs), KeptBackup) };
  };
}
