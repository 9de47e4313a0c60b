import {
  type Backup as BackupMessage,
  Backup_State as State,
  Backup_Storage as Storage,
  type BackupFile,
  type RetainedBackup,
} from '@panel/protos/files';
import type { BackupEntry } from '../backups/storage/backup-storage.js';
import type { Backup, BackupState, BackupStorageKind } from '../domain/backup.js';

const states: Readonly<Record<BackupState, State>> = {
  pending: State.PENDING,
  completed: State.COMPLETED,
  failed: State.FAILED,
  // internal
  deleting: State.UNSPECIFIED,
};

const storages: Readonly<Record<BackupStorageKind, Storage>> = {
  node: Storage.NODE,
  s3: Storage.S3,
  restic: Storage.RESTIC,
};

export function presentBackup(backup: Backup): BackupMessage {
  return {
    id: backup.id,
    serverId: backup.serverId,
    name: backup.name,
    state: states[backup.state],
    isLocked: backup.isLocked,
    storage: storages[backup.storage],
    sizeBytes: backup.sizeBytes,
    contentBytes: backup.contentBytes,
    entries: backup.entries,
    checksum: backup.checksum,
    ignoredFiles: [...backup.ignoredFiles],
    errorReason: backup.errorReason,
    errorMessage: backup.errorMessage,
    createTime: backup.createdAt,
    completeTime: backup.completedAt ?? undefined,
    restoreTime: backup.restoredAt ?? undefined,
    restoreError: backup.restoreError,
    databases: [...backup.databases],
    warning: backup.warning,
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
