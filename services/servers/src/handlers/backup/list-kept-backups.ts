import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentKeptBackup } from '../../present/backup.js';
import { listKeptBackups } from '../../usecases/backups/kept-backups.js';

export function handleListKeptBackups(context: ServersContext): Handler<BackupServiceService['listKeptBackups']> {
  return async () => ({ backups: (await listKeptBackups(context)).map(presentKeptBackup) });
}
