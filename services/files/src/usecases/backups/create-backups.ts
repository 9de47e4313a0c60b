import { mkdir } from 'node:fs/promises';
import { createConcurrencyLimiter, KeyedMutex } from '@panel/kit/async';
import { BackupServiceService } from '@panel/protos/files';
import type { Client, ServiceBase } from '@panel/rpc';
import type { FilesConfig } from '../../config.js';
import { restoresDirectory } from '../../jail/volumes.js';
import { createBackupStore } from '../../models/backup-store.js';
import { createRepositoryHoldStore } from '../../models/repository-hold-store.js';
import { createBackupMetrics } from './backup-metrics.js';
import { BackupReaders } from './backup-readers.js';
import type { BackupsContext } from './backups-context.js';
import { SharedRuns } from './shared-runs.js';
import { createArchiveStorage } from '../../backups/archive-storage.js';
import { createBackupStorages } from '../../backups/backup-storages.js';
import { createDiskBlobs } from '../../backups/disk-blobs.js';
import { bucketObjects, parseBucket } from '../../backups/restic-objects.js';
import type { ResticConfig } from '../../backups/restic-program.js';
import { createResticStorage } from '../../backups/restic-storage.js';
import { createS3Blobs } from '../../backups/s3-blobs.js';
import { RepositoryHolds } from './repository-holds.js';

type VolumeWork = Pick<
  BackupsContext,
  | 'attempt'
  | 'quotas'
  | 'volumes'
  | 'freezes'
  | 'usage'
  | 'freeSpace'
  | 'tempNames'
  | 'owner'
  | 'volumeMutex'
  | 'clock'
  | 'nodeId'
>;

/** What the use cases of backups hold, from the configuration of this node. */
export async function createBackups(
  config: FilesConfig,
  { mongo, tasks, log, connectTo, metrics }: Pick<ServiceBase, 'mongo' | 'tasks' | 'log' | 'connectTo' | 'metrics'>,
  work: VolumeWork,
): Promise<BackupsContext> {
  await mkdir(config.backupDirectory, { recursive: true, mode: 0o700 });
  const diskBlobs = createDiskBlobs(config.backupDirectory, config.minFreeBytes);
  const storages = [createArchiveStorage('node', diskBlobs, tasks.signal)];
  if (config.s3) storages.push(createArchiveStorage('s3', createS3Blobs(config.s3, work.clock), tasks.signal));
  if (config.restic) {
    await mkdir(config.restic.workDirectory, { recursive: true, mode: 0o700 });
    storages.push(
      createResticStorage(config.restic, {
        bucket: repositoriesInBucket(config.restic, work.clock),
        minFreeBytes: config.minFreeBytes,
        writes: new RepositoryHolds(createRepositoryHoldStore(mongo), work.nodeId),
      }),
    );
  }
  return {
    ...work,
    store: createBackupStore(mongo),
    storages: createBackupStorages(work.nodeId, config.backupStorage, storages),
    keptForMs: config.backupsKeptForMs,
    tasks,
    log,
    mutex: new KeyedMutex(),
    runs: new SharedRuns(tasks),
    readers: new BackupReaders(),
    arriving: new Set(),
    metrics: createBackupMetrics(metrics.registry),
    limiter: createConcurrencyLimiter({ concurrency: config.maxBackupsAtOnce }),
    restoresDirectory: restoresDirectory(config.dataRoot),
    diskBlobs,
    exporter: createExporter(connectTo),
  };
}

/** The repositories of servers where they lie in a bucket, for what restic itself does not do. */
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

/** One connection for each node. */
function createExporter(connectTo: ServiceBase['connectTo']): BackupsContext['exporter'] {
  const clients = new Map<string, Client<BackupServiceService>>();
  return (address) => {
    const client = clients.get(address) ?? connectTo(address).client(BackupServiceService);
    clients.set(address, client);
    return client;
  };
}
