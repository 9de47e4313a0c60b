import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentKeptBackup } from '../../present/backup.js';

export function listKeptBackups({ files }: ServersContext): Handler<BackupServiceService['listKeptBackups']> {
  return async () => ({ backups: (await files.keptBackups()).map(presentKeptBackup) });
}
