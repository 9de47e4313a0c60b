import type { MemoryLocker } from '@tus/server';
import type { FilesContext } from '../../context.js';
import type { UploadStore } from '../../models/upload-store.js';
import type { UploadFiles } from './upload-files.js';

/** What uploads in pieces need beyond the files themselves. */
export interface Uploads {
  readonly store: UploadStore;
  readonly files: UploadFiles;
  readonly nodeId: string;
  /** One piece of an upload at a time; a client that comes back ends the piece it has lost. */
  readonly locker: MemoryLocker;
}

export type UploadContext = Pick<
  FilesContext,
  | 'uploads'
  | 'clock'
  | 'volumes'
  | 'freezes'
  | 'quotas'
  | 'usage'
  | 'freeSpace'
  | 'owner'
  | 'tempNames'
  | 'fileMutex'
  | 'volumeMutex'
  | 'versions'
  | 'trash'
  | 'tasks'
>;
