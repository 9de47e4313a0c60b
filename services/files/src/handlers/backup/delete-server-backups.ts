import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { deleteServerBackups } from '../../usecases/backups/delete-server-backups.js';
import { readServerId } from '../read-ids.js';

export function handleDeleteServerBackups(
  backups: FilesContext['backups'],
): Handler<BackupServiceService['deleteServerBackups']> {
  return async ({ serverId, keep }) => {
    const retained = keep ? { nodeId: keep.nodeId, serverName: keep.serverName } : null;
    await deleteServerBackups(backups, readServerId(serverId), retained);
    return {};
  };
}
