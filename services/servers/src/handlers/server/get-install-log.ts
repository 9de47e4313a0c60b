import type { ServerServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { getInstallLog } from '../../usecases/servers/get-install-log.js';

export function handleGetInstallLog(context: ServersContext): Handler<ServerServiceService['getInstallLog']> {
  return async ({ serverId }, call) => {
    const lines = await getInstallLog(context, serverId, call);
    return { lines: lines.map(({ text, step, at }) => ({ text, step, time: at })) };
  };
}
