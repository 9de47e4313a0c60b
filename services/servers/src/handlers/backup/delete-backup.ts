import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteBackup as remove } from '../../usecases/backups/delete-backup.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function deleteBackup(context: ServersContext): Handler<BackupServiceService['deleteBackup']> {
  return async ({ serverId, backupId }, call) => {
    const { server } = await loadServer(context, serverId, call);
    await remove(context, server, backupId);
    return {};
  };
}
