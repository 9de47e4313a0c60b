import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { requireAccess } from '../../domain/servers/access.js';
import { fail } from '../../reasons.js';
import { restoreBackup as restore } from '../../usecases/backups/restore-backup.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function restoreBackup(context: ServersContext): Handler<BackupServiceService['restoreBackup']> {
  return async ({ serverId, backupId, truncate: isTruncating, paths, databases: hasDatabases }, call) => {
    const { server, access } = await loadServer(context, serverId, call);
    if (access.pathRules.length > 0) {
      throw fail('SERVER_FORBIDDEN', 'a backup holds files that you may not reach', { permission: 'backup.restore' });
    }
    // As an import does.
    if (hasDatabases) requireAccess(server, call, 'database.update');
    if (hasDatabases) requireAccess(server, call, 'database.view_password');
    return { operationId: await restore(context, server, { backupId, isTruncating, paths, hasDatabases }) };
  };
}
