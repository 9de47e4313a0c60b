import {
  type Backup,
  Backup_State as StoredState,
  Backup_Storage as Storage,
  type RetainedBackup as StoredKept,
} from '@panel/protos/files';
import { type RetainedBackup, type ServerBackup, ServerBackup_State as State } from '@panel/protos/servers';

const states: Partial<Record<StoredState, State>> = {
  [StoredState.PENDING]: State.PENDING,
  [StoredState.COMPLETED]: State.COMPLETED,
  [StoredState.FAILED]: State.FAILED,
};

const storages: Partial<Record<Storage, string>> = {
  [Storage.NODE]: 'node',
  [Storage.S3]: 's3',
  [Storage.RESTIC]: 'restic',
};

export function presentBackup(backup: Backup): ServerBackup {
  return {
    id: backup.id,
    name: backup.name,
    state: states[backup.state] ?? State.UNSPECIFIED,
    isLocked: backup.isLocked,
    storage: storages[backup.storage] ?? '',
    sizeBytes: backup.sizeBytes,
    contentBytes: backup.contentBytes,
    checksum: backup.checksum,
    ignoredFiles: backup.ignoredFiles,
    errorReason: backup.errorReason,
    errorMessage: backup.errorMessage,
    createTime: backup.createTime,
    completeTime: backup.completeTime,
    restoreTime: backup.restoreTime,
    restoreError: backup.restoreError,
    warning: backup.warning,
    databases: backup.databases,
  };
}

export function presentRetainedBackup({
  backup,
  nodeId,
  serverName,
  keepTime,
  expireTime,
}: StoredKept): RetainedBackup {
  const shown = backup && presentBackup(backup);
  return { backup: shown, serverId: backup?.serverId ?? '', serverName, nodeId, keepTime, expireTime };
}
