import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentRetainedBackup } from '../../present/backup.js';
import { listRetainedBackups } from '../../usecases/backups/retained-backups.js';

export function handleListRetainedBackups(
  context: ServersContext,
): Handler<BackupServiceService['listRetainedBackups']> {
  return async () => ({ backups: (await listRetainedBackups(context)).map(presentRetainedBackup) });
}
