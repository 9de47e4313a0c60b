import { enumOf, messageFields } from '@panel/kit/records';
import {
  type Backup as BackupMessage,
  Backup_State as State,
  Backup_Storage as Storage,
  type BackupFile,
  type RetainedBackup,
} from '@panel/protos/files';
import type { BackupEntry } from '../backups/storage/backup-storage.js';
import type { Backup } from '../domain/backup.js';

export function presentBackup(backup: Backup): BackupMessage {
  return {
    ...messageFields(backup),
    // `deleting` is internal.
    state: backup.state === 'deleting' ? State.UNSPECIFIED : enumOf(State, backup.state),
    storage: enumOf(Storage, backup.storage),
    createTime: backup.createdAt,
    completeTime: backup.completedAt ?? undefined,
    restoreTime: backup.restoredAt ?? undefined,
  };
}

export function presentRetainedBackup(
  { backup, retention }: { readonly backup: Backup; readonly retention: NonNullable<Backup['retention']> },
  retentionMs: number | null,
): RetainedBackup {
  const { at, nodeId, serverName } = retention;
  const expireTime = retentionMs === null ? undefined : new Date(at.getTime() + retentionMs);
  return { backup: presentBackup(backup), nodeId, serverName, keepTime: at, expireTime };
}

export function presentBackupFile({ path, kind, sizeBytes, modifiedAt }: BackupEntry): BackupFile {
  return {
    name: path.slice(path.lastIndexOf('/') + 1),
    path: `/${path}`,
    isFile: kind !== 'directory',
    isSymlink: kind === 'symlink',
    sizeBytes,
    modifyTime: modifiedAt,
  };
}
