import type { KeyedMutex } from '@panel/kit/async';
import type { Jobs, TaskGroup } from '@panel/kit/process';
import type { ExportGrantSigner, GrantSigner } from '@panel/rpc';
import type { BackupDeps } from './backups/backup-deps.js';
import type { RewriterPool } from './config-files/rewriter.js';
import type { DirectAddresses } from './domain/direct-address.js';
import type { VolumeFreezes } from './freezes/volume-freezes.js';
import type { Entry } from './jail/entries.js';
import type { NewFiles } from './jail/new-files.js';
import type { Owner } from './jail/owner.js';
import type { TempNames } from './jail/temp-names.js';
import type { LongListings } from './listings/long-listings.js';
import type { Searches } from './searches/searches.js';
import type { TransferMetrics } from './metrics.js';
import type { DiskUsageStore } from './models/disk-usage-store.js';
import type { DownloadLinkStore } from './models/download-link-store.js';
import type { FileOperations } from './operations/file-operations.js';
import type { DiskQuotas } from './quotas/disk-quotas.js';
import type { Transfers } from './transfers/transfers.js';
import type { Trash } from './trash/trash.js';
import type { Uploads } from './uploads/upload-deps.js';
import type { FileVersions } from './versions/file-versions.js';
import type { DataRootIdentity } from './volumes/data-root-identity.js';
import type { FreeSpaceFloor } from './volumes/free-space.js';
import type { UsageMeter } from './volumes/usage.js';
import type { Volumes } from './volumes/volumes.js';
import type { CreationJournal } from './workspace/creation-journal.js';
import type { TransferPlaces } from './workspace/transfer-places.js';
import type { RecentCreations } from './workspace/recent-creations.js';

export interface FilesContext {
  readonly clock: () => Date;
  /** Of the data root. */
  readonly nodeId: string;
  readonly identity: DataRootIdentity;
  readonly grants: GrantSigner;
  readonly exportGrants: ExportGrantSigner;
  readonly volumes: Volumes;
  readonly usage: UsageMeter;
  /** Of all nodes. */
  readonly usages: DiskUsageStore;
  readonly freeSpace: FreeSpaceFloor;
  readonly quotas: DiskQuotas;
  readonly tempNames: TempNames;
  readonly owner: Owner;
  readonly newFiles: NewFiles;
  readonly tasks: TaskGroup;
  /** Runs a job's part for one item. */
  readonly attempt: Jobs['attempt'];
  /** By server and path: one writer per file. */
  readonly fileMutex: KeyedMutex;
  /** By server id: one creation, removal or replacement at a time. */
  readonly volumeMutex: KeyedMutex;
  readonly creations: CreationJournal;
  readonly recentCopies: RecentCreations<{ readonly entry: Entry; readonly path: string }>;
  readonly recentDirectories: RecentCreations<Entry>;
  readonly freezes: VolumeFreezes;
  readonly transfers: Transfers;
  readonly rewriters: RewriterPool;
  readonly trash: Trash;
  readonly versions: FileVersions;
  readonly operations: FileOperations;
  readonly downloadLinks: DownloadLinkStore;
  readonly uploads: Uploads;
  /** Null: access through the gateway only. */
  readonly directAddresses: DirectAddresses | null;
  readonly metrics: TransferMetrics;
  readonly archiveReads: TransferPlaces;
  readonly searches: Searches;
  /** By owner. */
  readonly longListings: LongListings;
  readonly pullAllowsPrivate: boolean;
  readonly backups: BackupDeps;
}
