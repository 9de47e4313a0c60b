import type { Backup, BackupStorageKind } from '../../domain/backup.js';
import { fail } from '../../reasons.js';
import type { BackupStorage } from './backup-storage.js';

type Place = Pick<Backup, 'storage' | 'nodeIds' | 'destination'>;

/** New backups go to `current`; old ones stay. */
export interface BackupStorages {
  readonly current: BackupStorage;
  readonly all: readonly BackupStorage[];
  /** Buckets and repositories of this node. */
  readonly destinations: readonly string[];
  /** Empty: the disk of this node. */
  destinationOf(kind: BackupStorageKind): string;
  /** Its bytes are within this node's reach. */
  reaches(backup: Place): boolean;
  /** Throws STORAGE_UNAVAILABLE if unconfigured, on another node or in another bucket or repository. */
  of(backup: Place): BackupStorage;
}

export function createBackupStorages(
  nodeId: string,
  current: BackupStorageKind,
  all: readonly BackupStorage[],
  destinations: ReadonlyMap<BackupStorageKind, string> = new Map(),
): BackupStorages {
  const find = (kind: BackupStorageKind) => {
    const found = all.find((storage) => storage.kind === kind);
    if (found) return found;
    throw fail('STORAGE_UNAVAILABLE', `the backup storage ${kind} is not configured on this node`, { storage: kind });
  };
  const destinationOf = (kind: BackupStorageKind) => destinations.get(kind) ?? '';
  const reaches = ({ storage, nodeIds, destination }: Place) =>
    nodeIds.includes(nodeId) || (destination !== '' && destination === destinationOf(storage));
  return {
    current: find(current),
    all,
    destinations: [...destinations.values()].filter((destination) => destination !== ''),
    destinationOf,
    reaches,
    of: (backup) => {
      const storage = find(backup.storage);
      if (reaches(backup)) return storage;
      const place = backup.destination === '' ? 'on the disk of another node' : 'in another bucket or repository';
      throw fail('STORAGE_UNAVAILABLE', `the backup lies ${place}, which this node does not reach`, {
        storage: backup.storage,
      });
    },
  };
}
