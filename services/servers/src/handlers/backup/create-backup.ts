import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentBackup } from '../../present/backup.js';
import { createBackup as create } from '../../usecases/backups/create-backup.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function createBackup(context: ServersContext): Handler<BackupServiceService['createBackup']> {
  return async ({ rotate, ...request }, call) => {
    await loadServer(context, request.serverId, call);
    const { actor: requestedBy, idempotencyId } = call;
    const backup = await create(context, { ...request, isRotating: rotate, requestedBy, idempotencyId });
    return { backup: presentBackup(backup) };
  };
}
