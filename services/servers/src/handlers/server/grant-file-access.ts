import { serverPermissions, type ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { grantFileAccess } from '../../usecases/access/grant-file-access.js';

export function handleGrantFileAccess(context: ServersContext): Handler<ServerServiceService['grantFileAccess']> {
  return async ({ serverId, permission, unreachableAddress, backupId }, call) => {
    const named = serverPermissions.find((name) => name === permission);
    return grantFileAccess(context, { serverId, permission: named, unreachableAddress, backupId }, call);
  };
}
