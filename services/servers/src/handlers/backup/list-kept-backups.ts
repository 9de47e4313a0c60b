import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentKeptBackup } from '../../present/backup.js';
import { listKeptBackups as list } from '../../usecases/backups/kept-backups.js';

export function listKeptBackups(context: ServersContext): Handler<BackupServiceService['listKeptBackups']> {
  return async () => ({ backups: (await list(context)).map(presentKeptBackup) });
}
