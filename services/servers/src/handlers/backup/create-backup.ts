import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { requireAccess } from '../../domain/servers/access.js';
import { presentBackup } from '../../present/backup.js';
import { createBackup as create } from '../../usecases/backups/create-backup.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function createBackup(context: ServersContext): Handler<BackupServiceService['createBackup']> {
  return async ({ rotate, databases: hasDatabases, ...request }, call) => {
    const { server } = await loadServer(context, request.serverId, call);
    // As an export does: a reader of the backup reads the databases.
    if (hasDatabases) requireAccess(server, call, 'database.view_password');
    const { actor: requestedBy, idempotencyId } = call;
    const creation = { ...request, hasDatabases, isRotating: rotate, requestedBy, idempotencyId };
    const backup = await context.creationQueue.run(server.id, async () => create(context, creation), call.signal);
    return { backup: presentBackup(backup) };
  };
}
