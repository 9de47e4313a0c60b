import type { Handler } from '@panel/kit';
import type { ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../context.js';
import { loadServer } from './load-server.js';

export function getInstallLog(context: ServersContext): Handler<ServerServiceService['getInstallLog']> {
  return async ({ serverId }, { actor }) => {
    await loadServer(context, serverId, actor, 'activity.read');
    const log = await context.stores.consoles.log(serverId);
    return { lines: (log?.lines ?? []).map(({ text, step, at }) => ({ text, step, time: at })) };
  };
}
