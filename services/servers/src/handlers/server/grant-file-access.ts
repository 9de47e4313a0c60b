import type { Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit';
import { type ServerPermission, serverPermissions, type ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { checkUnlocked } from '../../domain/power/power-transitions.js';
import { loadServer, nodeOf } from '../../usecases/servers/load-server.js';

/** A signed, short-lived right to one kind of file work, so that file bytes do not pass through this service. */
export function grantFileAccess(context: ServersContext): Handler<ServerServiceService['grantFileAccess']> {
  return async (request, { actor }) => {
    const permission = serverPermissions.find((name) => name === request.permission);
    const { server } = await loadServer(context, request.serverId, actor, permission);
    if (!permission || !isFilePermission(permission)) throw invalidFields({ permission: ['is no right to files'] });
    checkUnlocked(server);
    const node = await nodeOf(context, server);
    const grant = context.grants.sign({
      serverId: server.id,
      permission,
      volume: `servers/${server.id}`,
      diskLimitBytes: server.limits.diskMb * 1024 * 1024,
      uploadLimitBytes: node.uploadLimitMb * 1024 * 1024,
      denylist: server.egg.fileDenylist,
    });
    return { filesAddress: context.files.addressOf(node), grant };
  };
}

function isFilePermission(permission: ServerPermission): boolean {
  return permission.startsWith('file.') || permission.startsWith('backup.');
}
