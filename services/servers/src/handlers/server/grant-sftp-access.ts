import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { serverNotFound } from '../../domain/servers/access.js';
import { grantFileAccess } from '../../usecases/access/grant-file-access.js';
import { loadServer } from '../../usecases/servers/load-server.js';

const shortId = /^[0-9a-f]{8}$/;

/** The caller's access to a server for an SFTP session. */
export function grantSftpAccess(context: ServersContext): Handler<ServerServiceService['grantSftpAccess']> {
  return async ({ serverShortId }, call) => {
    const isWellFormed = shortId.test(serverShortId);
    const serverId = isWellFormed ? await context.stores.servers.findIdByShortId(serverShortId) : null;
    if (serverId === null) throw serverNotFound();
    const { server, access } = await loadServer(context, serverId, call);
    const { grant } = await grantFileAccess(context, server, 'file.sftp', access);
    return { serverId, permissions: [...access.permissions], grant };
  };
}
