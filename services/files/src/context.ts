import path from 'node:path';
import { KeyedMutex } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import { createAddressGuard } from '@panel/kit/net';
import type { Jobs, TaskGroup } from '@panel/kit/process';
import {
  connect,
  createExportGrantSigner,
  createGrantSigner,
  type ExportGrantSigner,
  type GrantSigner,
  serviceActor,
  type ServiceBase,
} from '@panel/rpc';
import type { FilesConfig } from './config.js';
import { RewriterPool } from './config-files/rewriter.js';
import { createFreeSpaceFloor, type FreeSpaceFloor } from './jail/free-space.js';
import { measureTree } from './jail/measure.js';
import { createNewFiles, type NewFiles } from './jail/new-files.js';
import { TempNames } from './jail/temp-names.js';
import { UsageMeter } from './jail/usage.js';
import {
  creationsDirectory,
  deletedDirectory,
  openVolumes,
  type Owner,
  transfersDirectory,
  uploadsDirectory,
  versionsDirectory,
  volumeOf,
  type Volumes,
  volumesName,
} from './jail/volumes.js';
import { createBackups } from './usecases/backups/create-backups.js';
import { ArchiveReads } from './usecases/archives/archive-reads.js';
import type { BackupsContext } from './usecases/backups/backups-context.js';
import { MemoryLocker } from '@tus/server';
import { createDirectAddresses, type DirectAddresses } from './domain/direct-address.js';
import { createQuotaMetrics, createTransferMetrics, type TransferMetrics } from './metrics.js';
import { createUploadStore } from './models/upload-store.js';
import { createUploadFiles } from './usecases/uploads/upload-files.js';
import type { Uploads } from './usecases/uploads/uploads-context.js';
import { createDownloadLinkStore, type DownloadLinkStore } from './models/download-link-store.js';
import { createFileOperationStore } from './models/file-operation-store.js';
import { createDiskProjectStore } from './models/disk-project-store.js';
import { createFileVersionStore } from './models/file-version-store.js';
import { createDiskUsageStore, type DiskUsageStore } from './models/disk-usage-store.js';
import { createTrashStore } from './models/trash-store.js';
import { createTrash, type Trash } from './usecases/trash/trash.js';
import { createFileVersions, type FileVersions } from './usecases/versions/file-versions.js';
import { type CreationJournal, openCreationJournal } from './usecases/files/creation-journal.js';
import { loadNodeId } from './usecases/node-id.js';
import { FileOperations } from './usecases/operations/file-operations.js';
import { createFreezeStore } from './usecases/freezes/freeze-store.js';
import { VolumeFreezes } from './usecases/freezes/volume-freezes.js';
import { startDiskQuotas } from './usecases/quotas/start-disk-quotas.js';
import type { DiskQuotas } from './usecases/quotas/disk-quotas.js';
import { createTransferStore } from './usecases/transfers/transfer-store.js';
import { Transfers } from './usecases/transfers/transfers.js';

/** What the handlers and use cases hold. */
export interface FilesContext {
  readonly clock: () => Date;
  /** Of the data root: where records say that bytes lie. */
  readonly nodeId: string;
  readonly grants: GrantSigner;
  readonly exportGrants: ExportGrantSigner;
  readonly volumes: Volumes;
  readonly usage: UsageMeter;
  /** What was measured last, of the volumes of all nodes. */
  readonly usages: DiskUsageStore;
  readonly freeSpace: FreeSpaceFloor;
  readonly quotas: DiskQuotas;
  readonly tempNames: TempNames;
  readonly owner: Owner;
  readonly newFiles: NewFiles;
  readonly tasks: TaskGroup;
  /** Do the part of a job that concerns one item. */
  readonly attempt: Jobs['attempt'];
  /** By server and path: one writer at a time per file, so that each sees what the one before has written. */
  readonly fileMutex: KeyedMutex;
  /** By server id: one call at a time creates, removes or replaces a server's volume. */
  readonly volumeMutex: KeyedMutex;
  readonly creations: CreationJournal;
  readonly freezes: VolumeFreezes;
  /** Volumes that arrive from other nodes. */
  readonly transfers: Transfers;
  readonly rewriters: RewriterPool;
  readonly trash: Trash;
  readonly versions: FileVersions;
  /** Long file work in progress. */
  readonly operations: FileOperations;
  readonly downloadLinks: DownloadLinkStore;
  /** Files that arrive in pieces. */
  readonly uploads: Uploads;
  /** Null: clients reach this process through the gateway only. */
  readonly directAddresses: DirectAddresses | null;
  readonly metrics: TransferMetrics;
  readonly archiveReads: ArchiveReads;
  readonly pullAllowsPrivate: boolean;
  readonly backups: BackupsContext;
}

const usageMaxAgeMs = 60_000;
const usagePatienceMs = 3_000;
/** A tree whose directories move while it is measured is measured again, this many times. */
const maxMeasureTries = 3;
/** Servers whose config files are rewritten at the same time: each has a thread with a heap of its own. */
const maxRewriters = 2;

export async function createContext(
  config: FilesConfig,
  base: Pick<ServiceBase, 'tasks' | 'jobs' | 'signer' | 'clock' | 'mongo' | 'log' | 'connectTo' | 'metrics'>,
  overrides: Partial<Pick<FilesContext, 'clock'>> = {},
): Promise<FilesContext> {
  const { clock = base.clock } = overrides;
  const { owner, dataRoot } = config;
  const { tasks } = base;
  const attempt: Jobs['attempt'] = async (...item) => base.jobs.attempt(...item);
  const nodeGuard = createAddressGuard(config.nodeLocalAddresses);
  const connectToNode: typeof base.connectTo = (address) => base.connectTo(address, { guard: nodeGuard });
  const tempNames = new TempNames(new Date());
  const volumes = await openVolumes(dataRoot, owner);
  const nodeId = await loadNodeId(dataRoot);
  const uploadFiles = createUploadFiles(uploadsDirectory(dataRoot));
  const quotas = await startDiskQuotas(config.diskQuotas, {
    directory: path.join(dataRoot, volumesName),
    store: createDiskProjectStore(base.mongo),
    nodeId,
    volumes,
    uploadsOf: (serverId) => uploadFiles.directoryOf(serverId),
    tasks,
    log: base.log,
  });
  createQuotaMetrics(base.metrics.registry, quotas.mount);
  const versions = createFileVersions({
    directory: versionsDirectory(dataRoot),
    store: createFileVersionStore(base.mongo),
    nodeId,
    clock,
    retentionMs: config.versionRetentionMs,
    attempt,
  });
  const trash = createTrash({
    directory: deletedDirectory(dataRoot),
    store: createTrashStore(base.mongo),
    nodeId,
    quotas,
    tempNames,
    tasks,
    clock,
    retentionMs: config.trashRetentionMs,
    attempt,
  });
  const uploads: Uploads = {
    store: createUploadStore(base.mongo),
    files: uploadFiles,
    nodeId,
    locker: new MemoryLocker(),
  };
  const usages = createDiskUsageStore(base.mongo);
  const usage = createUsage({ volumes, versions, uploads, tasks, tempNames, usages, nodeId, clock });
  const volumeMutex = new KeyedMutex();
  const directory = transfersDirectory(dataRoot);
  const freezes = await VolumeFreezes.open(createFreezeStore(directory), { clock });
  const freeSpace = createFreeSpaceFloor(async () => volumes.space(), config.minFreeBytes);
  const volumeWork = {
    attempt,
    quotas,
    volumes,
    freezes,
    usage,
    freeSpace,
    tempNames,
    owner,
    volumeMutex,
    clock,
    nodeId,
  };
  return {
    clock,
    nodeId,
    grants: createGrantSigner(config.serviceSecret),
    exportGrants: createExportGrantSigner(config.serviceSecret),
    volumes,
    usage,
    usages,
    freeSpace,
    quotas,
    tempNames,
    owner,
    newFiles: createNewFiles(owner),
    tasks,
    attempt,
    fileMutex: new KeyedMutex(),
    volumeMutex,
    creations: await openCreationJournal(creationsDirectory(dataRoot), clock),
    freezes,
    backups: await createBackups(config, { ...base, connectTo: connectToNode }, volumeWork),
    transfers: new Transfers({
      clock,
      volumes,
      quotas,
      store: createTransferStore(directory),
      owner,
      tempNames,
      usage,
      volumeMutex,
      tasks,
      connectTo: (address) =>
        connect({ address, signer: base.signer, actor: serviceActor('files'), tls: config.tls, guard: nodeGuard }),
    }),
    rewriters: new RewriterPool(maxRewriters),
    trash,
    versions,
    operations: new FileOperations({
      store: createFileOperationStore(base.mongo),
      tasks,
      clock,
      nodeId,
      log: base.log,
    }),
    downloadLinks: createDownloadLinkStore(base.mongo),
    uploads,
    directAddresses: config.direct ? createDirectAddresses(config.serviceSecret) : null,
    metrics: createTransferMetrics(base.metrics.registry),
    archiveReads: new ArchiveReads(),
    pullAllowsPrivate: config.pullAllowsPrivate,
  };
}

function createUsage({
  volumes,
  versions,
  uploads,
  tasks,
  tempNames,
  usages,
  nodeId,
  clock,
}: Pick<
  FilesContext,
  'volumes' | 'versions' | 'uploads' | 'tasks' | 'tempNames' | 'usages' | 'nodeId' | 'clock'
>): UsageMeter {
  const measure = async (serverId: string) =>
    volumes.open(volumeOf(serverId), async (root) => {
      for (let tries = 1; ; tries += 1) {
        try {
          const bytes = await measureTree(root, { signal: tasks.signal, tempNames });
          return bytes + (await versions.usedBytes(serverId)) + (await uploads.files.usedBytes(serverId));
        } catch (error) {
          if (!isAppError(error, 'TREE_MOVED') || tries === maxMeasureTries) throw error;
        }
      }
    });
  return new UsageMeter({
    maxAgeMs: usageMaxAgeMs,
    patienceMs: usagePatienceMs,
    measure: async (serverId) => {
      const measuredAt = clock();
      const usedBytes = await measure(serverId);
      // Nobody who wants the number waits for the database.
      tasks.run('record disk usage', async () => usages.record({ serverId, nodeId, usedBytes, measuredAt }));
      return usedBytes;
    },
  });
}
