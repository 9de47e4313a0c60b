import type { MongoConnection } from '@panel/kit/mongo';
import { createBackupStore } from './backup-store.js';
import { createDiskProjectStore } from './disk-project-store.js';
import { createDiskUsageStore } from './disk-usage-store.js';
import { createDownloadLinkStore } from './download-link-store.js';
import { createFileOperationStore } from './file-operation-store.js';
import { createFileVersionStore } from './file-version-store.js';
import { createRepositoryLeaseStore } from './repository-lease-store.js';
import { createTrashStore } from './trash-store.js';
import { createUploadStore } from './upload-store.js';

export type Stores = ReturnType<typeof createStores>;

export function createStores(mongo: MongoConnection) {
  return {
    backups: createBackupStore(mongo),
    diskProjects: createDiskProjectStore(mongo),
    diskUsages: createDiskUsageStore(mongo),
    downloadLinks: createDownloadLinkStore(mongo),
    fileOperations: createFileOperationStore(mongo),
    fileVersions: createFileVersionStore(mongo),
    repositoryLeases: createRepositoryLeaseStore(mongo),
    trash: createTrashStore(mongo),
    uploads: createUploadStore(mongo),
  };
}
