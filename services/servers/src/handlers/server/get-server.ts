import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { ServerEncoder } from '../../present/encoded-servers.js';
import { presentServer } from '../../present/server.js';
import { getServer } from '../../usecases/servers/view-server.js';

export function handleGetServer(context: ServersContext): Handler<ServerServiceService['getServer']> {
  const encoder = new ServerEncoder();
  return async ({ serverId, asStaff, asEncoded }, call) => {
    const visible = await getServer(context, serverId, asStaff, call);
    return asEncoded ? { server: undefined, encoded: encoder.whole(visible) } : { server: presentServer(visible) };
  };
}
