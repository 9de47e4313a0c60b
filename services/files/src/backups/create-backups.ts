import { mkdir } from 'node:fs/promises';
import { KeyedMutex } from '@panel/kit/async';
import { TurnQueue } from '@panel/kit/threads';
import { BackupServiceService } from '@panel/protos/files';
import type { Client, Connection } from '@panel/rpc';
import type { Registry } from 'prom-client';
import type { BackupStorageKind } from '../domain/backup.js';
import type { BackupStore } from '../models/backup-store.js';
import type { RepositoryLeaseStore } from '../models/repository-lease-store.js';
import { createBackupMetrics } from './backup-metrics.js';
import { BackupReaders } from './backup-readers.js';
import type { BackupDeps } from './backup-deps.js';
import { SharedRuns } from './shared-runs.js';
import { createArchiveStorage } from './archive/archive-storage.js';
import { createBackupStorages } from './storage/backup-storages.js';
import { bucketDestination, repositoryDestination } from './storage/destinations.js';
import { openDiskBlobs } from './archive/disk-blobs.js';
import { bucketObjects, parseBucket } from './restic/objects.js';
import type { ResticConfig } from './restic/run-restic.js';
import { createResticStorage } from './restic/storage.js';
import { createS3Blobs, type S3Config } from './archive/s3-blobs.js';
import { RepositoryLeases } from './repository-leases.js';

type ConnectTo = (address: string) => Pick<Connection, 'client'>;

interface BackupOptions {
  readonly backupDirectory: string;
  readonly restoresDirectory: string;
  readonly minFreeBytes: number;
  readonly backupStorage: BackupStorageKind;
  readonly s3: S3Config | null;
  readonly restic: ResticConfig | null;
  readonly maxBackupsAtOnce: number;
  readonly backupRetentionMs: number | null;
}

type Created =
  | 'storages'
  | 'retentionMs'
  | 'mutex'
  | 'runs'
  | 'readers'
  | 'arriving'
  | 'metrics'
  | 'turns'
  | 'restoresDirectory'
  | 'diskBlobs'
  | 'exporter';

export type BackupWork = Omit<BackupDeps, Created | 'store'>;

interface GivenDeps extends BackupWork {
  readonly store: BackupStore;
  readonly repositoryLeases: RepositoryLeaseStore;
  readonly registry: Registry;
  readonly connectTo: ConnectTo;
}

export async function createBackups(
  options: BackupOptions,
  { repositoryLeases, registry, connectTo, ...given }: GivenDeps,
): Promise<BackupDeps> {
  const { backupDirectory, backupStorage, minFreeBytes, restic, s3 } = options;
  const { systemClock, nodeId, tasks, log } = given;
  const diskBlobs = await openDiskBlobs(backupDirectory, minFreeBytes);
  const storages = [createArchiveStorage('node', diskBlobs, tasks.signal)];
  const destinations = new Map<BackupStorageKind, string>();
  if (s3) {
    storages.push(createArchiveStorage('s3', createS3Blobs(s3, systemClock), tasks.signal));
    destinations.set('s3', bucketDestination(s3));
  }
  if (restic) {
    try {
      destinations.set('restic', await repositoryDestination(restic.repository));
    } catch (error) {
      log.warn({ err: error, repository: restic.repository }, 'other nodes cannot read the backups of this one');
    }
    await mkdir(restic.workDirectory, { recursive: true, mode: 0o700 });
    const writes = new RepositoryLeases({ store: repositoryLeases, nodeId, log });
    const bucket = repositoriesInBucket(restic, systemClock);
    storages.push(createResticStorage(restic, { bucket, minFreeBytes, writes }));
  }
  const metrics = createBackupMetrics(registry);
  const atOnce = options.maxBackupsAtOnce;
  return {
    ...given,
    store: metrics.counting(given.store),
    storages: createBackupStorages(nodeId, backupStorage, storages, destinations),
    retentionMs: options.backupRetentionMs,
    mutex: new KeyedMutex(),
    runs: new SharedRuns(tasks),
    readers: new BackupReaders(),
    arriving: new Set(),
    metrics,
    turns: new TurnQueue({ concurrency: atOnce, perKey: atOnce }),
    restoresDirectory: options.restoresDirectory,
    diskBlobs,
    exporter: createExporter(connectTo),
  };
}

/** For operations that restic lacks. */
export function repositoriesInBucket({ repository, environment }: ResticConfig, clock: () => Date) {
  const place = parseBucket(repository);
  if (!place) return null;
  const { AWS_DEFAULT_REGION: region, AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey } = environment;
  const { endpoint, bucket, prefix } = place;
  const blobs = createS3Blobs(
    { bucket, endpoint, region, accessKey, secretKey, prefix: '', usesPathStyle: true },
    clock,
  );
  return (serverId: string) => bucketObjects(blobs, `${prefix}${serverId}/`);
}

/** Caches one client per node. */
function createExporter(connectTo: ConnectTo): BackupDeps['exporter'] {
  const clients = new Map<string, Client<BackupServiceService>>();
  return (address) => {
    const client = clients.get(address) ?? connectTo(address).client(BackupServiceService);
    clients.set(address, client);
    return client;
  };
}
