import { type BackupServiceService, KeptBackup } from '@panel/protos/files';
import { type Handler, presentEach } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { presentKeptBackup } from '../../present/backup.js';

export function listKeptBackups({ backups }: FilesContext): Handler<BackupServiceService['listKeptBackups']> {
  return async ({ backupId }, call) => {
    const { store, keptForMs } = backups;
    const one = backupId === '' ? null : await store.findById(backupId);
    const found = backupId === '' ? await store.listKept() : one?.state === 'completed' ? [one] : [];
    const kept = found.flatMap((backup) => (backup.kept ? [{ backup, kept: backup.kept }] : []));
    return { backups: presentEach(call, kept, (one) => presentKeptBackup(one, keptForMs), KeptBackup) };
  };
}
