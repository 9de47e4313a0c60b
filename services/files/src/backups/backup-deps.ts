import type { ConcurrencyLimiter, KeyedMutex } from '@panel/kit/async';
import type { Jobs, Logger, TaskGroup } from '@panel/kit/process';
import type { BackupServiceService } from '@panel/protos/files';
import type { Client } from '@panel/rpc';
import type { BlobStore } from './storage/blob-store.js';
import type { BackupStorages } from './storage/backup-storages.js';
import type { UsageMeter } from '../volumes/usage.js';
import type { FreeSpaceFloor } from '../volumes/free-space.js';
import type { TempNames } from '../jail/temp-names.js';
import type { Volumes } from '../volumes/volumes.js';
import type { Owner } from '../jail/owner.js';
import type { BackupStore } from '../models/backup-store.js';
import type { DiskQuotas } from '../quotas/disk-quotas.js';
import type { VolumeFreezes } from '../freezes/volume-freezes.js';
import type { BackupMetrics } from './backup-metrics.js';
import type { BackupReaders } from './backup-readers.js';
import type { SharedRuns } from './shared-runs.js';

export interface BackupDeps {
  readonly store: BackupStore;
  readonly storages: BackupStorages;
  readonly clock: () => Date;
  /** Retention of backups of deleted servers; null: until staff delete them. */
  readonly retentionMs: number | null;
  readonly nodeId: string;
  readonly tasks: TaskGroup;
  readonly log: Logger;
  /** Runs the part of a job for one item. */
  readonly attempt: Jobs['attempt'];
  /** By server id. */
  readonly mutex: KeyedMutex;
  readonly volumeMutex: KeyedMutex;
  readonly runs: SharedRuns;
  readonly readers: BackupReaders;
  /** Ids of backups in copy from another node: their records do not name this node yet. */
  readonly arriving: Set<string>;
  readonly metrics: BackupMetrics;
  /** Concurrent backups of this node. */
  readonly limiter: ConcurrencyLimiter;
  readonly volumes: Volumes;
  readonly freezes: VolumeFreezes;
  readonly usage: UsageMeter;
  readonly freeSpace: FreeSpaceFloor;
  readonly quotas: DiskQuotas;
  readonly tempNames: TempNames;
  readonly owner: Owner;
  /** Backups are extracted here before they become the volume. */
  readonly restoresDirectory: string;
  /** Archives on this node's disk. */
  readonly diskBlobs: BlobStore;
  /** The files service of another node, by address. */
  readonly exporter: (address: string) => Pick<Client<BackupServiceService>, 'exportBackup'>;
}
