import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentKeptBackup } from '../../present/backup.js';

export function listKeptBackups({ backups }: FilesContext): Handler<BackupServiceService['listKeptBackups']> {
  return async ({ backupId }) => {
    const { store, keptForMs } = backups;
    const one = backupId === '' ? null : await store.findById(backupId);
    const found = backupId === '' ? await store.listKept() : one?.state === 'completed' ? [one] : [];
    return { backups: found.flatMap((backup) => presentKeptBackup(backup, keptForMs)) };
  };
}
