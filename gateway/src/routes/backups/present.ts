import {
  type Backup,
  Backup_State as StoredState,
  Backup_Storage as Storage,
  type BackupFile,
} from '@panel/protos/files';
import { type ServerBackup, ServerBackup_State as State } from '@panel/protos/servers';
import type { z } from 'zod';
import { failureOrNull, isoTime, isoTimeOf, required, textOrNull } from '../../declaration/present.js';
import { asSentence } from '@panel/rpc';
import type { backup, backupFile } from './schema.js';

type Shown = z.input<typeof backup>;

const stored: Partial<Record<StoredState, Shown['status']>> = {
  [StoredState.PENDING]: 'pending',
  [StoredState.COMPLETED]: 'completed',
  [StoredState.FAILED]: 'failed',
};

const states: Partial<Record<State, Shown['status']>> = {
  [State.PENDING]: 'pending',
  [State.COMPLETED]: 'completed',
  [State.FAILED]: 'failed',
};

const storages: Partial<Record<Storage, Shown['storage']>> = {
  [Storage.NODE]: 'node',
  [Storage.S3]: 's3',
  [Storage.RESTIC]: 'restic',
};

/** A backup as the files service answers it. */
export function presentBackup(shown: Backup): Shown {
  const status = required(stored[shown.state], 'state');
  return presentFields(shown, status, required(storages[shown.storage], 'storage'));
}

/** A backup as the servers service answers it. */
export function presentServerBackup(answer: ServerBackup | undefined): Shown {
  const shown = required(answer, 'backup');
  const storage = Object.values(storages).find((name) => name === shown.storage);
  return presentFields(shown, required(states[shown.state], 'state'), required(storage, 'storage'));
}

function presentFields(
  shown: Omit<Backup, 'state' | 'storage' | 'serverId' | 'entries'> | ServerBackup,
  status: Shown['status'],
  storage: Shown['storage'],
): Shown {
  const { errorReason, errorMessage } = shown;
  return {
    id: shown.id,
    name: shown.name,
    status,
    is_locked: shown.isLocked,
    storage,
    bytes: shown.sizeBytes,
    content_bytes: shown.contentBytes,
    checksum: textOrNull(shown.checksum),
    ignored_files: shown.ignoredFiles,
    error: errorReason === '' ? null : { reason: errorReason.toLowerCase(), message: asSentence(errorMessage) },
    created_at: isoTimeOf(shown.createTime),
    completed_at: isoTime(shown.completeTime),
    restored_at: isoTime(shown.restoreTime),
    restore_error: failureOrNull(shown.restoreError),
    databases: shown.databases,
  };
}

export function presentBackupFile(file: BackupFile): z.input<typeof backupFile> {
  return {
    name: file.name,
    path: file.path,
    is_file: file.isFile,
    is_symlink: file.isSymlink,
    size: file.sizeBytes,
    modified_at: isoTime(file.modifyTime),
  };
}
