import { withActivity } from '@panel/activity';
import { BackupServiceService } from '@panel/protos/servers';
import { serve, type ServedService } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { backupEvent, backupLockEvent } from '../../present/activity-events.js';
import { handleCreateBackup } from './create-backup.js';
import { handleDeleteBackup } from './delete-backup.js';
import { handleDeleteRetainedBackup } from './delete-retained-backup.js';
import { handleGrantBackupDownload } from './grant-backup-download.js';
import { handleGrantRetainedBackup } from './grant-retained-backup.js';
import { handleListRetainedBackups } from './list-retained-backups.js';
import { handleRestoreBackup } from './restore-backup.js';
import { handleSetBackupLock } from './set-backup-lock.js';

export function serveBackups(context: ServersContext): ServedService {
  const { activity } = context;
  return serve(BackupServiceService, {
    createBackup: handleCreateBackup(context),
    deleteBackup: withActivity(activity, handleDeleteBackup(context), backupEvent('server:backup.delete')),
    deleteRetainedBackup: handleDeleteRetainedBackup(context),
    grantBackupDownload: withActivity(
      activity,
      handleGrantBackupDownload(context),
      backupEvent('server:backup.download'),
    ),
    grantRetainedBackup: handleGrantRetainedBackup(context),
    listRetainedBackups: handleListRetainedBackups(context),
    restoreBackup: withActivity(activity, handleRestoreBackup(context), backupEvent('server:backup.restore')),
    setBackupLock: withActivity(activity, handleSetBackupLock(context), backupLockEvent),
  });
}
