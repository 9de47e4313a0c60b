import type { Handler } from '@panel/rpc';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { loadServer } from '../../usecases/servers/load-server.js';

/** For users who may install, and for staff who may read. */
export function getInstallLog(context: ServersContext): Handler<ServerServiceService['getInstallLog']> {
  return async ({ serverId }, call) => {
    await loadServer(context, serverId, call);
    const log = await context.stores.consoles.log(serverId);
    return { lines: (log?.lines ?? []).map(({ text, step, at }) => ({ text, step, time: at })) };
  };
}
