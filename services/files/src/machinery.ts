import path from 'node:path';
import { KeyedMutex, type MonotonicClock } from '@panel/kit/async';
import { createAddressGuard } from '@panel/kit/net';
import type { Job, Jobs } from '@panel/kit/process';
import { connect, createExportGrantSigner, createGrantSigner, serviceActor, type ServiceBase } from '@panel/rpc';
import { MemoryLocker } from '@tus/server';
import { type BackupWork, createBackups } from './backups/create-backups.js';
import { recoverRestores } from './backups/restore-volume.js';
import { sweepBackups } from './backups/sweep-backups.js';
import type { FilesConfig } from './config.js';
import { RewriterPool } from './config-files/rewriter.js';
import type { FilesContext } from './context.js';
import { startDirect } from './direct/start-direct.js';
import { createDirectAddresses } from './domain/direct-address.js';
import { createFreezeStore } from './freezes/freeze-store.js';
import { VolumeFreezes } from './freezes/volume-freezes.js';
import { createNewFiles } from './jail/new-files.js';
import { TempNames } from './jail/temp-names.js';
import { createQuotaMetrics, createTransferMetrics } from './metrics.js';
import { createStores, type Stores } from './models/stores.js';
import { FileOperations } from './operations/file-operations.js';
import { startDiskQuotas } from './quotas/start-disk-quotas.js';
import { LongListings } from './listings/long-listings.js';
import { Searches } from './searches/searches.js';
import type { ChangeLimits } from './sftp/change-paces.js';
import { startSftp } from './sftp/start-sftp.js';
import { createTransferStore } from './transfers/transfer-store.js';
import { Transfers } from './transfers/transfers.js';
import { createTrash } from './trash/trash.js';
import { sweepUploads } from './uploads/sweep-uploads.js';
import { createUploadFiles } from './uploads/upload-files.js';
import { createFileVersions } from './versions/file-versions.js';
import { lockDataRoot } from './volumes/data-root-lock.js';
import { createFreeSpaceFloor } from './volumes/free-space.js';
import { createUsageMeter } from './volumes/measure-usage.js';
import { loadIdentity } from './volumes/data-root-identity.js';
import { sweepStaleParts } from './volumes/sweep-stale-parts.js';
import { sweepUsages } from './volumes/sweep-usages.js';
import {
  creationsDirectory,
  deletedDirectory,
  openVolumes,
  restoresDirectory,
  transfersDirectory,
  uploadsDirectory,
  versionsDirectory,
  volumesName,
} from './volumes/volumes.js';
import { openCreationJournal } from './workspace/creation-journal.js';
import { TransferPlaces, packedDirectories } from './workspace/transfer-places.js';
import { RecentCreations } from './workspace/recent-creations.js';

type Base = Pick<
  ServiceBase,
  'tasks' | 'jobs' | 'signer' | 'clock' | 'systemClock' | 'reached' | 'mongo' | 'log' | 'connectTo' | 'metrics'
>;

interface StartBase extends Base {
  readonly sftpChanges?: ChangeLimits;
  readonly monotonicClock?: MonotonicClock;
}

export interface Machinery {
  readonly context: FilesContext;
  readonly jobs: readonly Job[];
  /** Of configured protocols. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Completes or undoes an earlier process's work; needs the indexes. */
  recover(): Promise<void>;
  stopListening(): Promise<void>;
  release(): Promise<void>;
}

const sweepIntervalMs = 60 * 60_000;
const backupSweepMs = 60_000;
/** Servers at a time; each has a thread with its own heap. */
const maxRewriters = 2;

/**
 * Composition root except for handlers. Modules receive their dependencies and import only earlier ones: jail, volumes,
 * quotas, freezes, archives, config-files and searches, workspace, versions, trash, uploads, operations, transfers, backups; then
 * sftp and direct, which call use cases.
 */
export async function startMachinery(config: FilesConfig, base: StartBase): Promise<Machinery> {
  const lock = await lockDataRoot(config.dataRoot, base.log);
  const started: { readonly address: string; stop(): Promise<void> }[] = [];
  try {
    const context = await createContext(config, base);
    const sftp = await startSftp(config, base, context, base.sftpChanges);
    if (sftp) started.push(sftp);
    const direct = await startDirect(config, base, context, base.monotonicClock);
    if (direct) started.push(direct);
    return {
      context,
      jobs: [...createSweepJobs(context, base), ...(sftp?.jobs ?? [])],
      addresses: { ...(sftp && { sftp: sftp.address }), ...(direct && { direct: direct.address }) },
      recover: async () => {
        await context.operations.recover();
        await recoverRestores(context.backups, base.tasks.signal);
      },
      stopListening: async () => void (await Promise.all(started.map(async (server) => server.stop()))),
      release: async () => lock.close(),
    };
  } catch (error) {
    for (const server of started) await server.stop();
    await lock.close();
    throw error;
  }
}

async function createContext(config: FilesConfig, base: Base): Promise<FilesContext> {
  const { dataRoot, owner } = config;
  const { clock, systemClock, tasks, log, metrics } = base;
  const stores = createStores(base.mongo);
  const attempt: Jobs['attempt'] = async (...item) => base.jobs.attempt(...item);
  const tempNames = new TempNames(systemClock());
  const volumes = await openVolumes(dataRoot, owner);
  const identity = await loadIdentity(dataRoot, config.backupDirectory);
  const nodeId = identity.id;
  const node = { attempt, clock, systemClock, log, nodeId, owner, tasks, tempNames, volumes };
  const uploadFiles = createUploadFiles(uploadsDirectory(dataRoot));
  const quotas = await startDiskQuotas(config.diskQuotas, {
    ...node,
    directory: path.join(dataRoot, volumesName),
    store: stores.diskProjects,
    uploadsOf: (serverId) => uploadFiles.directoryOf(serverId),
  });
  createQuotaMetrics(metrics.registry, quotas.mount);
  const freezes = await VolumeFreezes.open(createFreezeStore(transfersDirectory(dataRoot)), {
    clock: systemClock,
  });
  const versions = createFileVersions({
    ...node,
    directory: versionsDirectory(dataRoot),
    store: stores.fileVersions,
    retentionMs: config.versionRetentionMs,
  });
  const usage = createUsageMeter({
    ...node,
    outside: [async (serverId) => versions.usedBytes(serverId), async (serverId) => uploadFiles.usedBytes(serverId)],
    record: async (measured) => stores.diskUsages.record({ ...measured, nodeId }),
  });
  const work = {
    ...node,
    quotas,
    freezes,
    usage,
    freeSpace: createFreeSpaceFloor(async () => volumes.space(), config.minFreeBytes),
    volumeMutex: new KeyedMutex(),
  };
  return {
    ...work,
    identity,
    grants: createGrantSigner(config.serviceSecret),
    exportGrants: createExportGrantSigner(config.serviceSecret),
    usages: stores.diskUsages,
    newFiles: createNewFiles(owner),
    fileMutex: new KeyedMutex(),
    recentCopies: new RecentCreations(),
    recentDirectories: new RecentCreations(),
    creations: await openCreationJournal(creationsDirectory(dataRoot), systemClock),
    versions,
    trash: createTrash({
      ...work,
      directory: deletedDirectory(dataRoot),
      store: stores.trash,
      retentionMs: config.trashRetentionMs,
    }),
    uploads: { store: stores.uploads, files: uploadFiles, nodeId, locker: new MemoryLocker() },
    operations: new FileOperations({ ...node, store: stores.fileOperations }),
    ...(await createBetweenNodes(config, base, stores, work)),
    rewriters: new RewriterPool(maxRewriters),
    downloadLinks: stores.downloadLinks,
    directAddresses: config.direct ? createDirectAddresses(config.serviceSecret) : null,
    metrics: createTransferMetrics(metrics.registry),
    archiveReads: new TransferPlaces(packedDirectories),
    searches: new Searches(),
    longListings: new LongListings(),
    pullAllowsPrivate: config.pullAllowsPrivate,
  };
}

/** Connects to other nodes. */
async function createBetweenNodes(
  config: FilesConfig,
  { signer, connectTo, metrics }: Base,
  stores: Stores,
  work: BackupWork,
): Promise<Pick<FilesContext, 'transfers' | 'backups'>> {
  const { dataRoot, tls } = config;
  const guard = createAddressGuard(config.nodeLocalAddresses);
  const actor = serviceActor('files');
  return {
    transfers: new Transfers({
      ...work,
      clock: work.systemClock,
      store: createTransferStore(transfersDirectory(dataRoot)),
      connectTo: (address) => connect({ address, signer, actor, tls, guard }),
    }),
    backups: await createBackups(
      { ...config, restoresDirectory: restoresDirectory(dataRoot) },
      {
        ...work,
        store: stores.backups,
        repositoryLeases: stores.repositoryLeases,
        registry: metrics.registry,
        connectTo: (address) => connectTo(address, { guard }),
      },
    ),
  };
}

function createSweepJobs(context: FilesContext, { log }: Base): Job[] {
  const { backups, clock, creations, downloadLinks, freezes, quotas, transfers, trash, versions, volumes } = context;
  const intervalMs = sweepIntervalMs;
  const isTimed = false;
  const jobs: Job[] = [
    { name: 'repair-disk-quotas', intervalMs, isTimed, run: async (signal) => quotas.repair(signal) },
    { name: 'sweep-trash', intervalMs, isTimed, run: async (signal) => volumes.purgeTrash(signal) },
    { name: 'sweep-transfers', intervalMs, isTimed, run: async (signal) => transfers.sweep(signal) },
    { name: 'sweep-freezes', intervalMs, isTimed, run: async () => freezes.sweep() },
    { name: 'sweep-uploads', intervalMs, isTimed, run: async (signal) => sweepStaleParts(context, log, signal) },
    { name: 'sweep-resumable-uploads', intervalMs, run: async (signal) => sweepUploads(context, signal) },
    { name: 'sweep-deleted-files', intervalMs, run: async (signal) => trash.sweep(signal) },
    { name: 'sweep-file-versions', intervalMs, run: async (signal) => versions.sweep(signal) },
    { name: 'measure-backups', intervalMs: backupSweepMs, isTimed, run: async () => backups.metrics.measure(backups) },
    { name: 'sweep-backups', intervalMs: backupSweepMs, run: async (signal) => sweepBackups(backups, signal) },
    { name: 'sweep-download-links', intervalMs, run: async () => downloadLinks.deleteExpired(clock()) },
    { name: 'sweep-disk-usages', intervalMs, isTimed, run: async (signal) => sweepUsages(context, signal) },
    { name: 'sweep-creations', intervalMs, isTimed, run: async (signal) => creations.sweep(signal) },
  ];
  // On another disk everything seems to be gone.
  return jobs.map((job) => ({ ...job, run: async (signal) => volumes.check().then(async () => job.run(signal)) }));
}
