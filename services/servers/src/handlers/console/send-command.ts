import type { Handler } from '@panel/rpc';
import type { ConsoleServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { sendCommand as send } from '../../usecases/power/send-command.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function sendCommand(context: ServersContext): Handler<ConsoleServiceService['sendCommand']> {
  return async ({ serverId, command }, call) => {
    const { server } = await loadServer(context, serverId, call);
    await send(context, server, command);
    return {};
  };
}
