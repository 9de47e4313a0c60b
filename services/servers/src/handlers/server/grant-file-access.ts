import type { Handler } from '@panel/rpc';
import { serverPermissions, type ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { grantFileAccess as grant } from '../../usecases/access/grant-file-access.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function grantFileAccess(context: ServersContext): Handler<ServerServiceService['grantFileAccess']> {
  return async (request, call) => {
    const permission = serverPermissions.find((name) => name === request.permission);
    const { server, access } = await loadServer(context, request.serverId, call, permission);
    return grant(context, server, permission, access, request.unreachableAddress);
  };
}
