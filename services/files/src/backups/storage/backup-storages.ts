import type { Backup, BackupStorageKind } from '../../domain/backup.js';
import { fail } from '../../reasons.js';
import type { BackupStorage } from './backup-storage.js';

/** New backups go to `current`; old ones stay. */
export interface BackupStorages {
  readonly current: BackupStorage;
  readonly all: readonly BackupStorage[];
  /** Throws STORAGE_UNAVAILABLE if unconfigured or on another node. */
  of(backup: Pick<Backup, 'storage' | 'nodeIds'>): BackupStorage;
}

export function createBackupStorages(
  nodeId: string,
  current: BackupStorageKind,
  all: readonly BackupStorage[],
): BackupStorages {
  const find = (kind: BackupStorageKind) => {
    const found = all.find((storage) => storage.kind === kind);
    if (found) return found;
    throw fail('STORAGE_UNAVAILABLE', `the backup storage ${kind} is not configured on this node`, { storage: kind });
  };
  return {
    current: find(current),
    all,
    of: ({ storage, nodeIds }) => {
      if (storage === 'node' && !nodeIds.includes(nodeId)) {
        throw fail('STORAGE_UNAVAILABLE', 'the backup lies on another node', { storage });
      }
      return find(storage);
    },
  };
}
