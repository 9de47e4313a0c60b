import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { grantFileAccess } from '../../usecases/access/grant-file-access.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function grantBackupDownload(context: ServersContext): Handler<BackupServiceService['grantBackupDownload']> {
  return async ({ serverId }, call) => {
    const { server, access } = await loadServer(context, serverId, call);
    return grantFileAccess(context, server, 'backup.download', access.pathRules);
  };
}
