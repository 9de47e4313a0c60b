import type { BackupServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { grantBackupDownload } from '../../usecases/access/grant-file-access.js';

export function handleGrantBackupDownload(
  context: ServersContext,
): Handler<BackupServiceService['grantBackupDownload']> {
  return async (request, call) => grantBackupDownload(context, request, call);
}
