import type { KeyedMutex } from '@panel/kit/async';
import type { Jobs, Logger, TaskGroup } from '@panel/kit/process';
import type { TurnQueue } from '@panel/kit/threads';
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
  /** Of files and buckets. */
  readonly systemClock: () => Date;
  /** For deleted servers; null: until staff delete them. */
  readonly retentionMs: number | null;
  readonly nodeId: string;
  readonly tasks: TaskGroup;
  readonly log: Logger;
  /** Runs a job's part for one item. */
  readonly attempt: Jobs['attempt'];
  /** By server id. */
  readonly mutex: KeyedMutex;
  readonly volumeMutex: KeyedMutex;
  readonly runs: SharedRuns;
  readonly readers: BackupReaders;
  /** Ids in copy from another node: their records do not name this node yet. */
  readonly arriving: Set<string>;
  readonly metrics: BackupMetrics;
  /** By owner. */
  readonly turns: TurnQueue;
  readonly volumes: Volumes;
  readonly freezes: VolumeFreezes;
  readonly usage: UsageMeter;
  readonly freeSpace: FreeSpaceFloor;
  readonly quotas: DiskQuotas;
  readonly tempNames: TempNames;
  readonly owner: Owner;
  /** Before they become the volume. */
  readonly restoresDirectory: string;
  readonly diskBlobs: BlobStore;
  /** By address. */
  readonly exporter: (address: string) => Pick<Client<BackupServiceService>, 'exportBackup'>;
}
