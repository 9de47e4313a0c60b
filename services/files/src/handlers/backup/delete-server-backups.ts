import type { BackupServiceService } from '@panel/protos/files';
import type { Handler } from '@panel/rpc';
import type { FilesContext } from '../../context.js';
import { requireServerId } from '../../domain/server-id.js';
import { deleteServerBackups as remove } from '../../usecases/backups/delete-server-backups.js';

export function deleteServerBackups({ backups }: FilesContext): Handler<BackupServiceService['deleteServerBackups']> {
  return async ({ serverId, keep }) => {
    const kept = keep ? { nodeId: keep.nodeId, serverName: keep.serverName } : null;
    await remove(backups, requireServerId(serverId), kept);
    return {};
  };
}
