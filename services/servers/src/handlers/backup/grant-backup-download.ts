import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { allows, requireAccess } from '../../domain/servers/access.js';
import { grantFileAccess } from '../../usecases/access/grant-file-access.js';
import { loadServer, nodeOf } from '../../usecases/servers/load-server.js';

export function grantBackupDownload(context: ServersContext): Handler<BackupServiceService['grantBackupDownload']> {
  return async ({ serverId, backupId }, call) => {
    const { server, access } = await loadServer(context, serverId, call);
    const granted = await grantFileAccess(context, server, 'backup.download', access);
    if (allows(access, 'database.view_password')) return granted;
    const { databases } = await context.files.getBackup(
      await nodeOf(context, server),
      context.grants,
      serverId,
      backupId,
    );
    // As an export does.
    if (databases.length > 0) requireAccess(server, call, 'database.view_password');
    return granted;
  };
}
