import type { KeyedMutex } from '@panel/kit/async';
import type { MemoryLocker } from '@tus/server';
import type { Owner } from '../jail/owner.js';
import type { TempNames } from '../jail/temp-names.js';
import type { TransferMetrics } from '../metrics.js';
import type { UploadStore } from '../models/upload-store.js';
import type { DiskQuotas } from '../quotas/disk-quotas.js';
import type { FitTrashDeps } from '../trash/fit-trash.js';
import type { SaveVersionDeps } from '../versions/save-version.js';
import type { FreeSpaceFloor } from '../volumes/free-space.js';
import type { UsageMeter } from '../volumes/usage.js';
import type { WorkspaceDeps } from '../workspace/workspace.js';
import type { UploadFiles } from './upload-files.js';

export interface Uploads {
  readonly store: UploadStore;
  readonly files: UploadFiles;
  readonly nodeId: string;
  /** A reconnecting client ends its lost piece. */
  readonly locker: MemoryLocker;
}

export interface UploadDeps extends WorkspaceDeps, FitTrashDeps, SaveVersionDeps {
  readonly uploads: Uploads;
  readonly clock: () => Date;
  readonly quotas: Pick<DiskQuotas, 'explain' | 'include'>;
  readonly usage: Pick<UsageMeter, 'read' | 'reserve' | 'free' | 'expire'>;
  readonly freeSpace: FreeSpaceFloor;
  readonly owner: Owner;
  readonly tempNames: TempNames;
  readonly fileMutex: KeyedMutex;
  readonly volumeMutex: KeyedMutex;
  readonly metrics: TransferMetrics;
}
