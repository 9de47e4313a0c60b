import { BackupServiceService } from '@panel/protos/files';
import { serve, type ServedService } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { handleConfirmBackup } from './confirm-backup.js';
import { handleDeleteBackup } from './delete-backup.js';
import { handleDeleteServerBackups } from './delete-server-backups.js';
import { handleDownloadBackup } from './download-backup.js';
import { handleExportBackup } from './export-backup.js';
import { handleFailBackup } from './fail-backup.js';
import { handleGetBackup } from './get-backup.js';
import { handleListBackupFiles } from './list-backup-files.js';
import { handleListBackups } from './list-backups.js';
import { handleListRetainedBackups } from './list-retained-backups.js';
import { handleReceiveBackups } from './receive-backups.js';
import { handleReserveBackup } from './reserve-backup.js';
import { handleRestoreBackup } from './restore-backup.js';
import { handleRunBackup } from './run-backup.js';
import { handleSetBackupLock } from './set-backup-lock.js';

export function createBackupService(context: FilesContext): ServedService {
  return serve(BackupServiceService, {
    confirmBackup: handleConfirmBackup(context.backups),
    deleteBackup: handleDeleteBackup(context.backups),
    deleteServerBackups: handleDeleteServerBackups(context.backups),
    downloadBackup: handleDownloadBackup(context),
    exportBackup: handleExportBackup(context),
    failBackup: handleFailBackup(context.backups),
    getBackup: handleGetBackup(context),
    listBackupFiles: handleListBackupFiles(context),
    listBackups: handleListBackups(context),
    listRetainedBackups: handleListRetainedBackups(context.backups),
    receiveBackups: handleReceiveBackups(context.backups),
    reserveBackup: handleReserveBackup(context.backups),
    restoreBackup: handleRestoreBackup(context.backups),
    runBackup: handleRunBackup(context.backups),
    setBackupLock: handleSetBackupLock(context.backups),
  });
}
