import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { grantSftpAccess } from '../../usecases/access/grant-file-access.js';

export function handleGrantSftpAccess(context: ServersContext): Handler<ServerServiceService['grantSftpAccess']> {
  return async ({ serverShortId }, call) => {
    const { permissions, ...access } = await grantSftpAccess(context, serverShortId, call);
    return { ...access, permissions: [...permissions] };
  };
}
